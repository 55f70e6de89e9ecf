/** Writes the bundled pages of the console into `folder`, for the executable. Sources are bundled when they are served. */
import { join } from 'node:path'
import { bundlePages } from '../../src/operate/console/bundle.ts'

/** @throws Error with the messages of the bundler */
export async function buildConsole(folder: string): Promise<void> {
  for (const [name, file] of await bundlePages()) await Bun.write(join(folder, name), file)
}
