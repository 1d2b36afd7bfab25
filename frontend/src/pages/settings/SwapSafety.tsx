import { BrakeBar } from "@/parts/BrakeBar";

import { HoldsPanel } from "./HoldsPanel";
import { LimitsPanel } from "./LimitsPanel";

export default function SwapSafety() {
  return (
    <>
      <BrakeBar />
      <LimitsPanel />
      <HoldsPanel />
    </>
  );
}
