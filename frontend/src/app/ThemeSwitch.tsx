import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";

import { Icon } from "@/ui/Icon";

export function ThemeSwitch() {
  const { setColorScheme } = useMantineColorScheme();
  const dark = useComputedColorScheme("light") === "dark";
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      onClick={() => setColorScheme(dark ? "light" : "dark")}
      aria-label={dark ? "Use the light theme" : "Use the dark theme"}
    >
      <Icon name={dark ? "sun" : "moon"} />
    </ActionIcon>
  );
}
