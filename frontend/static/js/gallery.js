// @ts-check
// The pages Galleries and Gallery.
import { galleryComponents } from './gallery/components.js'
import { galleryImport } from './gallery/import.js'
import { sources } from './gallery/source.js'

sources(document)
galleryImport(document.body)
galleryComponents(document.body)
