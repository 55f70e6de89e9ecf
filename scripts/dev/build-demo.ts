/** Bundles `examples/web` for `/demo`. */
import { readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'

const ENTRY = join(import.meta.dir, '../../examples/web/index.html')

/** @throws Error with the messages of the bundler */
export async function buildDemo(folder: string): Promise<void> {
  const { success, logs, outputs } = await Bun.build({
    entrypoints: [ENTRY],
    outdir: folder,
    publicPath: '/demo/',
    minify: true,
    // Else the value at the time of the build chooses how JSX is compiled.
    define: { 'process.env.NODE_ENV': '"production"' },
    throw: false,
  })
  if (!success) throw new Error(`${ENTRY} cannot be bundled:\n${logs.join('\n')}`)
  const built = new Set(outputs.map(({ path }) => basename(path)))
  for (const name of await readdir(folder)) if (!built.has(name)) await rm(join(folder, name))
}
