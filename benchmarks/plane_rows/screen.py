"""Row c: from an event to the screens of many dashboards."""
