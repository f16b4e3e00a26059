"""What tells of a release: settings, licences, errata, provenance, citation, card and Croissant."""

import dataclasses
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from lxml import html
from markdown_it import MarkdownIt

import releases
from gapforge.config import load_settings
from gapforge.errors import ConfigError, InputError
from gapforge.release.card import feature_of, render_card
from gapforge.release.citation import PAPERS, bibtex_of, hub_name, hub_names, papers, spdx_of, text_licences
from gapforge.release.errata import Erratum, check_errata, read_errata, write_errata
from gapforge.release.layout import SETS, table_name
from gapforge.release.provenance import labelled_by, made_by, read_provenance, stages_in, without_folders
from gapforge.release.settings import ReleaseSettings
from gapforge.release.verify import verify
from gapforge.release.write import check_release, completed, deciding_release, sizes_in
from gapforge.storage.tables import schema_of

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('version = "1.0"', "version must be three numbers such as \"1.0.0\", found '1.0'"),
        ('version = "01.0.0"', "version must be three numbers such as \"1.0.0\", found '01.0.0'"),
        ('name = "my data"', "name must be letters, digits, '.', '_' and '-', found 'my data'"),
        ('date = "17.11.2026"', "date must be a day such as \"2026-01-31\", found '17.11.2026'"),
        ('date = "20261117"', "date must be a day such as \"2026-01-31\", found '20261117'"),
        ("date = 2026-11-17", "date must be a string; put 2026-11-17 in quotation marks"),
        ('homepage = "example.org"', "homepage must be an address such as https://example.org, found 'example.org'"),
        ('homepage = "https://"', "homepage must be an address such as https://example.org, found 'https://'"),
        ('title = "two\\nlines"', "title must be one line of plain text, found 'two\\nlines'"),
        ('text_licenses = { a = "x\\ny" }', "text_licenses must be one line of plain text, found 'x\\ny'"),
        ('license = ""', "license must not be empty; leave it out where it is not known"),
        ('authors = ["Ann", " "]', "authors must not be empty; leave it out where it is not known"),
        ("text_licenses = { a = 3 }", "text_licenses a must be a string, found 3"),
        ('text_licenses = "cc0-1.0"', "text_licenses must be a table, found 'cc0-1.0'"),
        ("licence = 'mit'", "has no setting 'licence'; did you mean 'license'?"),
    ],
)
def test_a_bad_setting_is_told(tmp_path, text, message):
    config = tmp_path / "my.toml"
    config.write_text(f"[release]\n{text}\n", "utf-8")
    with pytest.raises(ConfigError) as error:
        load_settings(str(config), "release", ReleaseSettings)
    assert message in str(error.value)


def test_the_licence_of_a_corpus_that_is_not_there_is_refused():
    with pytest.raises(ConfigError) as error:
        check_release(ReleaseSettings(text_licenses={"wikis": "mit"}), ["wiki", "books"], "my.toml")
    assert str(error.value) == "my.toml: [release.text_licenses] wikis: no such corpus; there are wiki, books, winobias"


@pytest.mark.parametrize(
    ("licence", "hub", "spdx"),
    [
        ("CC-BY-SA-4.0", "cc-by-sa-4.0", "CC-BY-SA-4.0"),
        ("cc-by-4.0", "cc-by-4.0", "CC-BY-4.0"),
        ("GPL-3.0-or-later", "gpl-3.0", "GPL-3.0-or-later"),
        ("GPL-3.0-only", "gpl-3.0", "GPL-3.0-only"),
        ("gpl-3.0", "gpl-3.0", "GPL-3.0-only"),
        ("ODbL-1.0", "odbl", "ODbL-1.0"),
        ("PDDL-1.0", "pddl", "PDDL-1.0"),
        ("mit", "mit", "MIT"),
        ("public domain in the USA", "other", None),
        ("unknown", "unknown", None),
    ],
)
def test_licences_have_the_names_that_others_know(licence, hub, spdx):
    assert (hub_name(licence), spdx_of(licence)) == (hub, spdx)


def test_texts_have_the_licence_of_where_they_come_from():
    formats = {"wiki": "wikipedia", "books": "gutenberg", "mine": "text"}
    assert text_licences(formats, {"books": "cc0-1.0"}, formats) == {
        "wiki": "CC-BY-SA-4.0",
        "books": "cc0-1.0",
        "mine": "unknown",
    }
    assert hub_names(["MIT", "mit", "my own"]) == ["mit", "other"]


ERRATA = [Erratum("gap", "wiki-1", "A-coref", "TRUE", "FALSE", "wrong\tlabel\n"), Erratum("counter_gap", "x", *"abcd")]


def test_errata_are_written_and_read(tmp_path):
    write_errata(tmp_path / "errata.tsv", ERRATA)
    assert read_errata(tmp_path / "errata.tsv") == [dataclasses.replace(ERRATA[0], note="wrong label "), ERRATA[1]]
    write_errata(tmp_path / "none.tsv", [])
    assert read_errata(tmp_path / "none.tsv") == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("id\tnote\n", "line 1: found 'id\\tnote'; wanted the columns config, id, column, found, expected, note, tabs"),
        ("config\tid\tcolumn\tfound\texpected\tnote\ngap\tx\n", "line 2: 2 cells under 6 columns; fix the line"),
        ("", "line 1: found ''"),
    ],
)
def test_bad_errata_are_told(tmp_path, content, message):
    (tmp_path / "errata.tsv").write_text(content, "utf-8")
    with pytest.raises(InputError) as error:
        read_errata(tmp_path / "errata.tsv")
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("erratum", "message"),
    [
        (Erratum("gap", "wiki-99", "A", "", "", ""), "errata.tsv: line 3: gap has no row 'wiki-99'; remove the line"),
        (
            Erratum("gaps", "wiki-1", "A", "", "", ""),
            "errata.tsv: line 3: no set 'gaps'; choose from gap, counter_gap, gap_subjective",
        ),
        (
            Erratum("gap", "wiki-1", "b-coref", "", "", ""),
            "errata.tsv: line 3: no column 'b-coref'; did you mean 'B-coref'?",
        ),
        (
            Erratum("gap", "wiki-1", "A-coref", "FALSE", "TRUE", ""),
            "errata.tsv: line 3: A-coref of wiki-1 is 'TRUE', not 'FALSE'; fix the line",
        ),
    ],
)
def test_an_erratum_is_of_a_row(erratum, message):
    with pytest.raises(InputError) as error:
        check_errata([Erratum("gap", "wiki-1", "Text", "lost", "found", ""), erratum], releases.tables(), "errata.tsv")
    assert str(error.value) == message


def test_provenance_leads_from_tables_to_inputs():
    found = releases.provenance(releases.tables())
    derived = {it["prov:generatedEntity"]: it["prov:usedEntity"] for it in found["wasDerivedFrom"].values()}
    assert derived["run:release/counter_gap/test"] == "run:QuadruplesLabelled.records"
    made = {it["prov:entity"]: it["prov:activity"] for it in found["wasGeneratedBy"].values()}
    assert made["run:GapLabelled.records"] == "run:GapLabelled"
    used = [it["prov:entity"] for it in found["used"].values() if it["prov:activity"] == "run:Documents-wiki"]
    assert used == ["run:input/dump.xml"]
    assert found["entity"]["run:input/dump.xml"]["gapforge:sha256"] == "aa" * 32
    # Every end of every relation is there.
    known = found["entity"].keys() | found["activity"].keys() | found["agent"].keys()
    ends = {end for kind in RELATIONS for it in found[kind].values() for end in it.values()}
    assert ends <= known
    assert stages_in(found)["GapLabelled"]["rejects"] == {"page limit": 2}
    assert derived["run:release/gap_subjective/test"] == "run:GapSubjective.records"
    assert labelled_by(found) == {"gap": "author", "counter_gap": "annotators", "gap_subjective": "author"}
    assert made_by(found) == "0.1.0"


RELATIONS = ("used", "wasGeneratedBy", "wasAssociatedWith", "wasDerivedFrom")


def test_nothing_of_a_machine_is_in_the_provenance():
    told = json.dumps(releases.provenance(releases.tables()))
    assert "/home/me" not in told and "3.11.4" not in told and "1.5" not in told
    assert without_folders({"a": ["/x/y/model", "b/c"], "n": 3}) == {"a": ["model", "b/c"], "n": 3}


def test_stages_of_other_versions_have_software_of_their_own():
    newer = releases.made("GapWeights", {}, versions={"python": "3.12.1", "gapforge": "0.2.0"})
    found = releases.provenance(releases.tables(), stages=releases.STAGES | {"GapWeights": newer})
    assert made_by(found) == "0.1.0"
    assert [it["gapforge:python"] for it in found["agent"].values()] == ["3.11", "3.12"]


def test_two_inputs_of_one_name_are_two():
    stages = {
        f"Documents-{name}": releases.made(f"Documents-{name}", {}, {f"/home/{name}/texts": digest * 32})
        for name, digest in (("a", "aa"), ("b", "bb"), ("c", "aa"))
    }
    found = releases.provenance(releases.tables(), stages=releases.STAGES | stages)
    inputs = {
        name: it["gapforge:sha256"][:2] for name, it in found["entity"].items() if name.endswith("xts") or "#" in name
    }
    assert inputs == {"run:input/texts": "aa", "run:input/texts#bbbbbbbb": "bb"}
    used = {it["prov:activity"]: it["prov:entity"] for it in found["used"].values()}
    assert [used[f"run:Documents-{name}"] for name in "abc"] == [
        "run:input/texts",
        "run:input/texts#bbbbbbbb",
        "run:input/texts",
    ]


@pytest.mark.parametrize(
    ("config", "name"),
    [("sample", "sample"), ("my run", "my-run"), ("_x.1", "x.1"), ("Übung", "bung"), ("中", "release")],
)
def test_a_release_is_called_after_its_config(config, name):
    tables = releases.tables()
    settings = completed(ReleaseSettings(), config, tables, releases.STAGES)
    assert (settings.name, settings.title) == (name, name)
    assert deciding_release(ReleaseSettings(), config)["name"] == name


@pytest.mark.parametrize("content", ["[]", "{", '{"entity": {}}', '{"activity": {"run:x": {}}, "entity": {}}', "5"])
def test_a_damaged_provenance_is_told(tmp_path, content):
    (tmp_path / "provenance.json").write_text(content, "utf-8")
    with pytest.raises(InputError, match="not the provenance of a release"):
        read_provenance(tmp_path)


def test_the_citation_of_a_release_is_whole(tmp_path):
    folder = releases.write_release(tmp_path / "r")
    told = yaml.safe_load((folder / "CITATION.cff").read_text("utf-8"))
    assert (told["cff-version"], told["type"], told["version"], told["license"]) == (
        "1.2.0",
        "dataset",
        "1.2.3",
        "CC-BY-4.0",
    )
    assert "date-released" not in told
    assert len(told["references"]) == 5


def test_odd_titles_and_authors_break_no_citation(tmp_path):
    odd = dataclasses.replace(
        releases.SETTINGS,
        title="50 % of {x} & a_b: # | </script> ü 😀",
        authors=["A and B {Ltd}"],
        description="a: b # c",
        license="mine | yours",
        date="2026-01-31",
        homepage="https://example.org/x",
    )
    folder = releases.write_release(tmp_path / "r", settings=odd)
    told = yaml.safe_load((folder / "CITATION.cff").read_text("utf-8"))
    assert (told["title"], told["abstract"]) == (odd.title, odd.description)
    assert "license" not in told
    text = (folder / "README.md").read_text("utf-8")
    assert yaml.safe_load(text.removeprefix("---\n").partition("\n---\n")[0])["pretty_name"] == odd.title
    assert "  title = {{50 \\% of \\{x\\} \\& a\\_b: \\# | </script> ü 😀}},\n  author = {{A and B \\{Ltd\\}}}," in text
    assert "| labels, selection and all that was added | mine \\| yours |" in text
    assert text.endswith("```\n")
    assert json.loads((folder / "croissant.json").read_text("utf-8"))["alternateName"] == odd.title
    assert verify(folder) == []


MARKDOWN = MarkdownIt("gfm-like", {"html": True, "linkify": False})


@pytest.mark.parametrize(
    "text",
    [
        "<script>hurt()</script>",
        "<img src=x onerror=hurt()>",
        "<!-- the rest is gone",
        "<https://example.org>",
        "[here](javascript:hurt())",
        "![here](https://example.org/x.png)",
        "a | b \\| c",
        "`<b>` ``` **bold** &lt;",
    ],
)
def test_texts_are_shown_in_a_card_and_never_read(tmp_path, text):
    settings = dataclasses.replace(
        releases.SETTINGS, title=f"T {text}", description=f"D {text}", license=f"L {text}", authors=[text]
    )
    stages = releases.STAGES | {
        text: releases.made(text, {}, rejects={f"R {text}": 3}),
        "GapLabelled": releases.made("GapLabelled", {}, notes=(f"N {text}",)),
    }
    tables = releases.tables()
    folder = releases.write_release(tmp_path / "r")
    card = render_card(tables, releases.provenance(tables, settings, stages), [], sizes_in(folder, tables))
    body = card.removeprefix("---\n").partition("\n---\n")[2]
    page = html.fromstring(MARKDOWN.render(body))
    assert page.xpath("//script|//img|//a|//comment()") == []
    assert page.xpath("//h1")[0].text_content() == f"T {text}"
    assert page.xpath("//p")[0].text_content() == f"D {text}"
    cells = [it.text_content() for it in page.xpath("//td")]
    assert {f"L {text}", text, f"3 R {text}"} <= set(cells)
    assert f"N {text}" in [it.text_content().strip() for it in page.xpath("//li")]
    assert page.xpath("//h2")[-1].text_content() == "Citation"  # nothing is swallowed


def test_the_project_cites_the_same_papers():
    own = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))["references"]
    names = [[", ".join(it.values()) for it in paper["authors"]] for paper in own]
    assert [(paper["title"], its, paper["year"]) for paper, its in zip(own, names, strict=True)] == [
        (paper["title"], paper["authors"], paper["year"]) for paper in papers()
    ]
    assert tomllib.loads(PAPERS.read_text("utf-8"))["papers"] == papers()
    assert bibtex_of(papers()[0]).startswith("@article{webster-etal-2018-mind,\n  title = {{Mind the GAP")


def test_features_are_written_as_datasets_writes_them():
    datasets = pytest.importorskip("datasets")
    for record in SETS.values():
        ours = [feature_of(field) for field in schema_of(record)]
        assert ours == datasets.Features.from_arrow_schema(schema_of(record))._to_yaml_list()


@pytest.fixture
def card(tmp_path):
    folder = releases.write_release(tmp_path / "r", errata=[ERRATA[0]])
    text = (folder / "README.md").read_text("utf-8")
    opening, _, rest = text.removeprefix("---\n").partition("\n---\n")
    return yaml.safe_load(opening), rest


def test_the_card_s_metadata_is_of_the_files(card):
    metadata, _ = card
    assert metadata["license"] == ["cc-by-4.0", "unknown", "cc-by-sa-4.0", "gpl-3.0"]
    assert metadata["annotations_creators"] == ["expert-generated"]
    assert metadata["language"] == ["en"] and metadata["size_categories"] == ["n<1K"]
    assert metadata["configs"][0] == {
        "config_name": "gap",
        "data_files": [{"split": it, "path": table_name("gap", it)} for it in ("development", "validation", "test")],
        "default": True,
    }
    sizes = {it["config_name"]: [split["num_examples"] for split in it["splits"]] for it in metadata["dataset_info"]}
    assert sizes == {
        "gap": [2, 2, 4],
        "counter_gap": [8],
        "gap_subjective": [2, 2, 4],
        "winobias": [4, 4],
        "gap_weights": [4],
    }


@pytest.mark.parametrize(
    "line",
    [
        "| `gap` | development | 2 | 2 |",
        "| `counter_gap` | test | 8 | 2 |",
        "| test | 2 | 2 | 4 |",
        "| neither | 1 | 1 | 2 |",
        "| `weight` | float64, may be null | what the row counts in W-Bias, 0 where it does not; null in splits that",
        "| `weight` | float64 | what the row counts in W-Bias, 0 where it does not |",
        "does not differ between the genders: the number of names in a text and the place of the true name among them",
        "- Contexts of `gap` name people of encyclopedia pages",
        "| GapLabelled | 10 | 8 | 2 page limit |",
        "- `gap`: by the author of the texts, who marked every pronoun's referent when writing them (gold, by one",
        "  - 8 judgements",
        "- `counter_gap`: by annotators, whose majority decides (gold).",
        "| `gap_subjective` | test | 4 | 4 |",
        "holds the contexts of `gap` once more in the manner of GAP-Subjective (Pant and Dadu 2022), 6 of them with",
        "| validation | 2 | 1 | 50.0% |",
        "| test | 4 | 3 | 75.0% |",
        "| as in gap | 0 | 2 | 2 |",
        "| `original_text` | string | the context as `gap` has it |",
        "| `id` | string | that of the row of `gap` whose variant it is |",
        "made by rule or by a model, and **no person has judged them**.",
        "| transfer | rules |  |",
        "| option transfer.model | x |  |",
        "| GLEU, above | 0.8 | paper |",
        "- 6 contexts converted",
        "| `winobias` | development | 4 |  |",
        "| anti | 2 | 2 | 4 |",
        "| sentences of `winobias` | GPL-3.0-or-later |",
        "holds 8 sentences in the manner of WinoBias (Zhao et al. 2018), in which a pronoun means one of two people",
        "- `winobias`: by those who wrote the templates, whom the pronoun means in each (gold).",
        "- `gap_subjective`: its labels are those of `gap`.",
        "- The opinions in `gap_subjective` are invented. Nobody holds them, and they are about people who may be real",
        'gap_subjective = load_dataset("path/to/this/folder", "gap_subjective")',
        "@inproceedings{pant-dadu-2022-incorporating,",
        "| text of the corpus `wiki` | CC-BY-SA-4.0 |",
        "| labels, selection and all that was added | cc-by-4.0 |",
        "Where a licence is unknown, ask whoever published this release before you pass it on.",
        "1 is listed in `errata.tsv`, with what stands there and what should.",
        "@article{webster-etal-2018-mind,",
    ],
)
def test_the_card_says(card, line):
    assert line in card[1]
    assert "Silver" not in card[1]


def test_a_card_of_silver_labels_says_so_at_once(tmp_path):
    silver = [dataclasses.replace(it, standard="silver") for it in releases.examples()]
    tables = releases.tables(gap=silver, instances=[])
    judged = releases.STAGES | {"Judgements-gap": releases.made("Judgements-gap", {"source": "panel"})}
    folder = releases.write_release(tmp_path / "r", tables)
    text = render_card(tables, releases.provenance(tables, stages=judged), [], sizes_in(folder, tables))
    body = text.partition("\n---\n")[2]
    assert body.index("**Silver labels.** gap and gap_subjective:") < body.index("## Load it")
    assert "- `gap`: by a panel of resolvers that voted (**silver**: no person has judged them)." in body
    assert "counter_gap" not in body
    without = releases.tables(gap=silver, instances=[], variants=[])
    told = render_card(without, releases.provenance(without), [], sizes_in(folder, without))
    assert "**Silver labels.** gap:" in told and "gap_subjective" not in told and "invented" not in told
    assert yaml.safe_load(text.removeprefix("---\n").partition("\n---\n")[0])["annotations_creators"] == [
        "machine-generated"
    ]


READ = """
import json, sys
import mlcroissant
dataset = mlcroissant.Dataset(jsonld=sys.argv[1])
report = dataset.metadata.ctx.issues
counts = {it.id: [len(list(dataset.records(record_set=it.id)))] for it in dataset.metadata.record_sets}
for name, its in counts.items():
    its.append(next(iter(dataset.records(record_set=name))))
print(json.dumps({"errors": list(report.errors), "counts": counts}, default=lambda it: it.decode()))
"""


def test_croissant_is_valid_and_its_records_are_read(tmp_path):
    """By the reference implementation, in a process of its own: it warns in ways that our tests do not allow."""
    pytest.importorskip("mlcroissant")
    folder = releases.write_release(tmp_path / "r")
    command = [sys.executable, "-c", READ, str(folder / "croissant.json")]
    environment = os.environ | {"HOME": str(tmp_path)}
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout.splitlines()[-1])
    assert found["errors"] == []
    assert {name: count for name, (count, _) in found["counts"].items()} == {
        "gap/development": 2,
        "gap/validation": 2,
        "gap/test": 4,
        "counter_gap/test": 8,
        "gap_subjective/development": 2,
        "gap_subjective/validation": 2,
        "gap_subjective/test": 4,
        "winobias/development": 4,
        "winobias/test": 4,
        "gap_weights/test": 4,
    }
    row = found["counts"]["counter_gap/test"][1]
    assert row["counter_gap/test/pronoun"] == "she"
    assert [it["counter_gap/test/people/name"] for it in row["counter_gap/test/people"]] == [
        "Ann",
        "Mary",
        "Tom",
        "John",
    ]
