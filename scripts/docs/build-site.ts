/** The guide as static files, whose relative links work from any folder and below any path of a web server. */
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'
import { type Addresses, inFiles, SEARCH_INDEX } from '../../src/platform/docs/guide/addresses.ts'
import { DOCS_FOLDER, pagesInOrder, readContents } from '../../src/platform/docs/guide/contents.ts'
import { renderLlmsText } from '../../src/platform/docs/guide/llms-text.ts'
import { defaultServers, type Servers } from '../../src/platform/docs/guide/markdown.ts'
import { renderGuidePage } from '../../src/platform/docs/guide/page.ts'
import { renderSearchIndex } from '../../src/platform/docs/guide/search-index.ts'
import { assets } from '../../src/platform/docs/page.ts'

/** Drawings, and the pictures that pages show. */
const PICTURES = ['**/*.svg', 'pictures/console/*.webp', 'pictures/demo-{leagues,division,inbox}-*.webp']
const ASSETS = ['icon.svg', 'matchday.css', 'text.css', 'guide.css', 'guide.js', 'minisearch.js'] as const

/**
 * Replaces `folder`, which is absent, empty or an earlier site. Returns the paths of the written pages.
 * @throws Error for a folder with other files
 */
export async function buildSite(
  folder: string,
  openApi: string,
  servers: Servers = defaultServers,
  addresses: Addresses = inFiles,
) {
  const isSite = existsSync(join(folder, 'assets', SEARCH_INDEX))
  if (existsSync(folder) && readdirSync(folder).length > 0 && !isSite)
    throw new Error(`${folder} has other files: name a folder for the site alone.`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, 'assets'), { recursive: true })
  for (const name of ASSETS) cpSync(assets[name].file, join(folder, 'assets', name))
  await Bun.write(join(folder, 'assets', SEARCH_INDEX), renderSearchIndex(addresses))
  await Bun.write(join(folder, 'openapi.json'), openApi)
  for (const pattern of PICTURES)
    for (const picture of new Glob(pattern).scanSync(DOCS_FOLDER)) {
      mkdirSync(dirname(join(folder, picture)), { recursive: true })
      cpSync(join(DOCS_FOLDER, picture), join(folder, picture))
    }
  await Bun.write(
    join(folder, 'llms.txt'),
    renderLlmsText(file => (file.endsWith('.md') ? addresses.name(file) : file)),
  )
  const pages = pagesInOrder(readContents()).map(({ file }) => file)
  for (const file of pages)
    await Bun.write(join(folder, addresses.name(file)), renderGuidePage(file, addresses, servers))
  return pages.map(addresses.name)
}
