"""Knowledge bases: documents cut into passages, and how they are searched."""

from studio.knowledge.hits import Hit as Hit
from studio.knowledge.passages import MAX_PASSAGE_CHARS as MAX_PASSAGE_CHARS
from studio.knowledge.passages import Passage as Passage
from studio.knowledge.passages import cut_passages as cut_passages
from studio.knowledge.words import MAX_QUERY_CHARS as MAX_QUERY_CHARS
from studio.knowledge.words import search_words as search_words
