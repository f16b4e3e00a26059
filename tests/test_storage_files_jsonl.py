from gapforge.storage.files import json_line


def test_json_lines_hold_no_foreign_line_end(make_document):
    line = json_line(make_document(text="one\u2028two\u2029three\nfour", sections=[]))
    assert line.splitlines() == [line]
    assert '"text": "one\\u2028two\\u2029three\\nfour"' in line
