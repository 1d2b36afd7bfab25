import type { MantineColorsTuple } from "@mantine/core";
import { createTheme } from "@mantine/core";

/** The accent in ten steps; the sixth is the one of light surfaces, the third of dark ones. */
const accent: MantineColorsTuple = [
  "#eceffa",
  "#d6dcf5",
  "#b4bff9",
  "#98a6f5",
  "#6f80da",
  "#5466c8",
  "#3f51b5",
  "#32439b",
  "#283682",
  "#1e2a68",
];

export const theme = createTheme({
  primaryColor: "accent",
  primaryShade: { light: 6, dark: 3 },
  colors: { accent },
  autoContrast: true,
  luminanceThreshold: 0.35,
  fontFamily: "Inter, system-ui, sans-serif",
  fontFamilyMonospace: "JetBrains Mono, ui-monospace, monospace",
  defaultRadius: 7,
  cursorType: "pointer",
  respectReducedMotion: true,
});
