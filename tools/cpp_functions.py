"""Finds the functions of a C++ file by counting braces: enough for code that clang-format has laid out, and needs no compiler."""
import re

OPENING, CLOSING = "([{", ")]}"
# What may stand between the parameters of a function and its body.
SPECIFIERS = re.compile(r"(?:const|noexcept|override|final|mutable|try|requires\b.*|&&?|->.*|:(?!:).*|[A-Z_]{4,}|\s)*", re.S)
SCOPE = re.compile(r"(?:template\s*<.*?>\s*|inline\s+|export\s+|\[\[.*?\]\]\s*)*(namespace|class|struct|union|enum|extern)\b", re.S)


def without_text(source):
    """The source with comments, literals and preprocessor lines blanked out; every line stays where it was."""
    pattern = re.compile(r'R"(?P<tag>[^(\s]*)\(.*?\)(?P=tag)"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![\w])\'(?:\\.|[^\'\\\n])+\'', re.S)
    blanked = pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), source)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda match: re.sub(r"[^\n]", " ", match[0]), blanked, flags=re.M)


def partners(code):
    """For every opening bracket the place of the one that closes it."""
    open_places, closed_by = [], {}
    for place, char in enumerate(code):
        if char in OPENING:
            open_places.append(place)
        elif char in CLOSING and open_places:
            closed_by[open_places.pop()] = place
    return closed_by


def flattened(code, closed_by, start, end):
    """The code from start to end, with `()` for whatever stands in round brackets and nothing for what stands in others."""
    parts, place = [], start
    while place < end:
        if code[place] in OPENING and place in closed_by and closed_by[place] < end:
            parts.append("()" if code[place] == "(" else " ")
            place = closed_by[place] + 1
        else:
            parts.append(code[place])
            place += 1
    return "".join(parts)


def is_body(head):
    """Whether the brace after this flattened head of a declaration begins the body of a function."""
    if re.search(r"(?<!operator)(?<![=!<>])=(?!=)", head):  # a variable and its initialiser, perhaps a lambda
        return False
    return "()" in head and SPECIFIERS.fullmatch(head[head.rindex("()", 0, head.find(") :") + 1 or None) + 2:]) is not None


def is_table(code, closed_by, body):
    """Whether all that a function does is to return what stands in braces."""
    statement = re.match(r"\s*return\s*(?=\{)", code[body + 1:closed_by[body]])
    return statement is not None and code[closed_by[body + 1 + statement.end()] + 1:closed_by[body]].strip() == ";"


def lambdas(code, closed_by, start, end):
    """(first line, last line) of the outermost lambdas of an initialiser."""
    place = start
    while place < end:
        before = code[start:place].rstrip()
        if code[place] == "{" and re.search(r"(?:\)|\])\s*(?:(?:mutable|noexcept|[A-Z_]{4,}|->[^(){};=]*)\s*)*$", before):
            yield code.count("\n", 0, place) + 1, code.count("\n", 0, closed_by[place]) + 1
            place = closed_by[place]
        place += 1


def functions(source):
    """(first line, last line) of every function of a file that is not inside another; a lambda belongs to its function."""
    code = without_text(source)
    closed_by = partners(code)

    def scan(place, end):
        head = place  # where the declaration begins that is being read
        while place < end:
            char = code[place]
            if char == ";":
                head = place + 1
            elif char in "([" and place in closed_by:
                yield from lambdas(code, closed_by, place + 1, closed_by[place])
                place = closed_by[place]
            elif char == "{" and place in closed_by:
                close = closed_by[place]
                text = flattened(code, closed_by, head, place)
                following = code[close + 1:close + 80].lstrip()[:1]
                if following in (",", "{") and ") :" in re.sub(r"\s+", " ", text):
                    pass  # a member initialised with braces, before the body of a constructor
                elif is_body(re.sub(r"\s+", " ", text)):
                    first = head + len(code[head:place]) - len(code[head:place].lstrip())
                    if is_table(code, closed_by, place):
                        yield from lambdas(code, closed_by, place + 1, close)
                    else:
                        yield code.count("\n", 0, first) + 1, code.count("\n", 0, close) + 1
                    head = close + 1
                elif SCOPE.match(text.strip()):
                    yield from scan(place + 1, close)
                    head = close + 1
                else:
                    yield from lambdas(code, closed_by, head, close)
                place = close
            elif char == ":" and code[place - 1] != ":" and re.search(r"\b(public|private|protected)\s*$", code[head:place]):
                head = place + 1
            place += 1

    return scan(0, len(code))
