import "@/styles/tokens.css";
import "@/styles/mantine.css";
import "@/styles/base.css";

import { createRoot } from "react-dom/client";
import { createBrowserRouter } from "react-router";

import { App } from "@/app/App";
import { clientMake } from "@/app/client";
import { routes } from "@/app/routes";

async function start(): Promise<void> {
  if (import.meta.env.MODE === "fake") {
    const { fakeStart } = await import("@/fake/browser");
    await fakeStart();
  }
  const root = document.getElementById("root");
  if (!root) throw new Error("The page has no #root");
  createRoot(root).render(<App client={clientMake()} router={createBrowserRouter(routes)} />);
}

void start();
