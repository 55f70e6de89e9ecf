/** The order of the guide: `docs/README.md` lists every page below the heading of its section. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The root of the pages, here and in the executable. */
export const DOCS_FOLDER = join(import.meta.dir, '../../../../docs')
export const INDEX = 'README.md'

export interface Entry {
  /** Relative to the folder of the pages, such as `providers/auth0.md`. */
  file: string
  title: string
  /** A sentence in Markdown; empty if the list says nothing more. */
  about: string
  /** Pages below this one. */
  pages: Entry[]
}

export interface Section {
  title: string
  pages: Entry[]
}

/** Sections in their order; links to files outside of the folder are left out. */
export function readContents(folder = DOCS_FOLDER): Section[] {
  const sections: Section[] = []
  for (const line of readFileSync(join(folder, INDEX), 'utf8').split('\n')) {
    const [, heading] = /^## (.+)$/.exec(line) ?? []
    if (heading !== undefined) sections.push({ title: heading, pages: [] })
    const [, indent, title = '', file = '', about = ''] =
      /^( *)- \[(.+?)\]\(([^)#:]+\.md)\)(?:: (.+))?$/.exec(line) ?? []
    const section = sections.at(-1)
    if (indent === undefined || !section || file.startsWith('..')) continue
    const list = indent === '' ? section.pages : section.pages.at(-1)?.pages
    list?.push({ file, title, about, pages: [] })
  }
  return sections
}

/** Every page in the order in which it is read, the index first. */
export const pagesInOrder = (sections: Section[]): Entry[] => [
  { file: INDEX, title: 'Documentation', about: '', pages: [] },
  ...sections.flatMap(({ pages }) => pages.flatMap(page => [page, ...page.pages])),
]

export const readPage = (file: string, folder = DOCS_FOLDER): string =>
  readFileSync(join(folder, file), 'utf8')

export const isPage = (file: string, folder = DOCS_FOLDER): boolean =>
  !file.includes('..') && existsSync(join(folder, file))
