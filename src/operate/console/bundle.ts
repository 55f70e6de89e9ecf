/** Bundles `src/console/`: at the start and after changes in development, at the build for the executable. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const PAGES = join(import.meta.dir, '../../console')
/** The example app: forms show an entry by its components, in a frame. */
const APP = join(import.meta.dir, '../../../examples/web')

/** Files by name, as `index.html` and `preview.html`. @throws Error with the messages of the bundler */
export async function bundlePages(): Promise<Map<string, Blob>> {
  const [console, preview] = await Promise.all([
    bundle(join(PAGES, 'index.html')),
    bundle(join(APP, 'preview.html')),
  ])
  return new Map([...preview, ...console])
}

async function bundle(page: string): Promise<Map<string, Blob>> {
  const { success, logs, outputs } = await Bun.build({
    entrypoints: [page],
    publicPath: '/',
    minify: true,
    splitting: true,
    // Otherwise the environment of the build decides how JSX is compiled.
    define: { 'process.env.NODE_ENV': '"production"' },
    throw: false,
  })
  if (!success) throw new Error(`the pages of the console cannot be bundled:\n${logs.join('\n')}`)
  return new Map(outputs.map(output => [output.path.replace(/^\.?\//, ''), output]))
}

/** Like `bundlePages`, but bundles again only if a source has changed since the last call. */
export function createBundler(): () => Promise<Map<string, Blob>> {
  let newest = 0
  let bundled: Promise<Map<string, Blob>> | undefined
  return () => {
    const changed = newestChange()
    if (!bundled || changed > newest) bundled = bundlePages()
    newest = changed
    return bundled
  }
}

const newestChange = (): number =>
  Math.max(
    ...[PAGES, APP]
      .flatMap(folder => readdirSync(folder, { recursive: true, withFileTypes: true }))
      .filter(entry => entry.isFile())
      .map(({ parentPath, name }) => statSync(join(parentPath, name)).mtimeMs),
  )
