/** How the pages of the guide refer to each other: by paths on the server, relative to the page in static files. */
import { dirname, join, relative } from 'node:path'

export interface Addresses {
  /** Where the names of pages begin, seen from the page of `from`. */
  base(from: string): string
  /** The page of a file below `base`, such as `providers/auth0`. */
  name(file: string): string
  /** The page of `file`, for a link in the page of `from`. */
  page(file: string, from: string): string
  /** A style sheet, a script or an icon. */
  asset(name: string, from: string): string
  /** Where else the header leads. */
  links(from: string): { path: string; text: string }[]
}

export const ROOT = '/docs/guide'
export const SEARCH_INDEX = 'search-index.js'

/** README.md is the page of its folder. */
const nameOnServer = (file: string) => file.replace(/(^|\/)README\.md$/, '').replace(/\.md$/, '')

export const onServer: Addresses = {
  base: () => `${ROOT}/`,
  name: nameOnServer,
  page: file => join(ROOT, nameOnServer(file)).replace(/\/$/, ''),
  asset: name => (name === SEARCH_INDEX ? `${ROOT}/${name}` : `/docs/${name}`),
  links: () => [{ path: '/docs', text: 'API reference' }],
}

const nameInFiles = (file: string) =>
  file.replace(/(^|\/)README\.md$/, '$1index.html').replace(/\.md$/, '.html')

const relativeTo = (from: string, target: string) => relative(dirname(from), target)

export const inFiles: Addresses = {
  base: from => '../'.repeat(from.split('/').length - 1),
  name: nameInFiles,
  page: (file, from) => relativeTo(from, nameInFiles(file)),
  asset: (name, from) => relativeTo(from, join('assets', name)),
  links: from => [{ path: relativeTo(from, 'openapi.json'), text: 'OpenAPI document' }],
}
