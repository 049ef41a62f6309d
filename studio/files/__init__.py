"""Files that people attach and code writes: their names, their types, and what is said of them."""

from studio.files.attachment import FILES as FILES
from studio.files.attachment import MAX_PICTURE_BYTES as MAX_PICTURE_BYTES
from studio.files.attachment import WRITTEN as WRITTEN
from studio.files.attachment import Attachment as Attachment
from studio.files.attachment import FileUse as FileUse
from studio.files.attachment import default_use as default_use
from studio.files.attachment import files_metadata as files_metadata
from studio.files.attachment import sized as sized
from studio.files.attachment import written_text as written_text
from studio.files.media_types import BINARY as BINARY
from studio.files.media_types import PICTURES as PICTURES
from studio.files.media_types import TypeFinder as TypeFinder
from studio.files.media_types import is_text as is_text
from studio.files.media_types import named_type as named_type
from studio.files.names import clean_name as clean_name
from studio.files.names import clean_path as clean_path
from studio.files.names import unique_name as unique_name
