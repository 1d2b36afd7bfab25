/** What the key `a` asks of the page on screen; a page that can answers by taking the event. */
export const APPROVE_EVENT = "hotswap:approve";
