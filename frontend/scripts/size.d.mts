export const FIRST_LOAD_NBYTES_MAX: number;
export function firstLoad(dist: string): Map<string, number>;
export function total(files: Map<string, number>): number;
