"""Knowledge bases: documents cut into passages, and how they are searched."""

from studio.knowledge.hits import Hit as Hit
from studio.knowledge.passages import MAX_PASSAGE_CHARS as MAX_PASSAGE_CHARS
from studio.knowledge.passages import Passage as Passage
from studio.knowledge.passages import cut_passages as cut_passages
from studio.knowledge.source import BASE_NAMES as BASE_NAMES
from studio.knowledge.source import FOUND as FOUND
from studio.knowledge.source import BaseName as BaseName
from studio.knowledge.source import Excerpt as Excerpt
from studio.knowledge.source import KnowledgeSource as KnowledgeSource
from studio.knowledge.source import KnowledgeUnavailable as KnowledgeUnavailable
from studio.knowledge.source import MaxCharacters as MaxCharacters
from studio.knowledge.source import MaxPassages as MaxPassages
from studio.knowledge.source import find_excerpts as find_excerpts
from studio.knowledge.source import quoted as quoted
from studio.knowledge.source import reading as reading
from studio.knowledge.words import MAX_QUERY_CHARS as MAX_QUERY_CHARS
from studio.knowledge.words import begins_pair as begins_pair
from studio.knowledge.words import index_pairs as index_pairs
from studio.knowledge.words import search_words as search_words
