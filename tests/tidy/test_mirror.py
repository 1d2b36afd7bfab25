"""The tests stand where the code stands."""

from tests.tidy.tree import PACKAGE, ROOT, python_files, shown

MIRRORED = {
    "tests/hotswap": "agents/hotswap",
    "tests/apps": "apps",
    "tests/controlplane": "controlplane",
    "tests/workers": "workers",
    "tests/benchmarks": "benchmarks",
    "tests/examples": "examples",
    "tests/dev": "dev",
}
# tests that are about the whole and not about one folder of it
ABOUT_THE_WHOLE = (
    "acceptance",
    "acceptance_plane",
    "conformance",
    "deploy",
    "simulation",
    "tidy",
)


def test_every_test_file_stands_in_a_folder_that_its_code_has_too() -> None:
    lost = set()
    for path in python_files(ROOT / "tests"):
        for tests, code in MIRRORED.items():
            if path.is_relative_to(ROOT / tests):
                folder = ROOT / code / path.parent.relative_to(ROOT / tests)
                # a big module may have a folder of tests
                if not folder.is_dir() and not folder.with_suffix(".py").is_file():
                    lost.add(shown(path))
                break
        else:
            if path.parent != ROOT / "tests" and path.parts[len(ROOT.parts) + 1] not in (
                ABOUT_THE_WHOLE
            ):
                lost.add(shown(path))
    assert lost == set()


def test_every_folder_of_the_package_has_tests() -> None:
    folders = {path.parent.relative_to(PACKAGE) for path in python_files(PACKAGE)}
    untested = {
        str(folder)
        for folder in folders
        if not any((ROOT / "tests" / "hotswap" / folder).rglob("test_*.py"))
    }
    assert untested == set()


def test_every_app_has_tests() -> None:
    apps = {path.parent for path in (ROOT / "apps").glob("*/apps.py")}
    untested = {
        app.name for app in apps if not any((ROOT / "tests" / "apps" / app.name).rglob("test_*.py"))
    }
    assert untested == set()


def test_no_two_folders_need_an_init_in_tests() -> None:
    assert [
        shown(path) for path in python_files(ROOT / "tests") if path.name == "__init__.py"
    ] == []
