/** Bundles `examples/web` for `/demo`, with the pictures of the demonstration catalogue. */
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { drawPictures } from '../seed/pictures/pictures.ts'

const APP = join(import.meta.dir, '../../examples/web')
const PREFIX = '/demo/'

/** @throws Error with the messages of the bundler */
export async function buildDemo(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, 'pictures'), { recursive: true })
  await bundle(join(APP, 'index.html'), folder)
  // Outside of the bundle, so that their addresses stay the same.
  cpSync(join(APP, 'static'), folder, { recursive: true })
  const shell = readdirSync(folder, { withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name !== 'index.html')
    .map(({ name }) => `${PREFIX}${name}`)
  await bundle(join(APP, 'service-worker.ts'), folder, { SHELL: JSON.stringify(['/demo', ...shell.sort()]) })
  for (const [url, picture] of drawPictures()) {
    const path = join(folder, url.slice(PREFIX.length))
    mkdirSync(dirname(path), { recursive: true })
    await Bun.write(path, picture)
  }
}

async function bundle(entry: string, folder: string, define: Record<string, string> = {}): Promise<void> {
  const { success, logs } = await Bun.build({
    entrypoints: [entry],
    outdir: folder,
    publicPath: PREFIX,
    minify: true,
    // Otherwise the environment of the build decides how JSX is compiled.
    define: { 'process.env.NODE_ENV': '"production"', ...define },
    throw: false,
  })
  if (!success) throw new Error(`${basename(entry)} cannot be bundled:\n${logs.join('\n')}`)
}
