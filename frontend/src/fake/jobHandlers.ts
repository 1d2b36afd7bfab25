import { http, HttpResponse } from "msw";

import type { LossCurve, LossPoint } from "@/api/types";

import { notFound, page, queryOf } from "./answers";
import type { World } from "./world";

const curveOf = (points: LossPoint[]): LossCurve => ({ points, steps: points.length, thinned: false, truncated: false });

export const jobHandlers = (world: World) => [
  http.get("/api/v1/jobs", ({ request }) => {
    const [state, protection] = [queryOf(request.url, "state"), queryOf(request.url, "protection")];
    const rows = [...world.jobs.values()].filter(
      (job) => (!state || job.state === state) && (!protection || job.protection === protection),
    );
    return page(request.url, rows);
  }),
  http.get("/api/v1/jobs/:id", ({ params }) => {
    const job = world.jobs.get(String(params.id));
    return job ? HttpResponse.json(job) : notFound();
  }),
  http.get("/api/v1/jobs/:id/loss", ({ params }) =>
    HttpResponse.json(curveOf(world.losses.get(String(params.id)) ?? [])),
  ),
  http.get("/api/v1/jobs/:id/ranks", ({ params }) => HttpResponse.json(world.ranks.get(String(params.id)) ?? [])),
  http.get("/api/v1/jobs/:id/events", ({ params, request }) =>
    page(request.url, world.jobEvents.get(String(params.id)) ?? []),
  ),
  http.post("/api/v1/jobs/:id/stop", ({ params }) => {
    const job = world.jobs.get(String(params.id));
    if (!job) return notFound();
    job.state = "stopped";
    world.tell("job.changed", { id: job.id, state: job.state });
    return HttpResponse.json(job);
  }),
];
