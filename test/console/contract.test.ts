/** The client of the console's pages. What no longer fits it does not compile: see `test/types/console-contract.ts`. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { CLIENTS, renderClientTypes } from '../../scripts/build/client-types.ts'
import { root } from '../support/dev.ts'

const withoutWords = (text: string) => text.replace(/\/\*\*.*?\*\//gs, '').replace(/\s+/g, ' ')

test('the client is that of the operations of today: `bun run docs` writes it', async () => {
  const committed = await Bun.file(join(root, CLIENTS.console.file)).text()
  expect(withoutWords(committed)).toBe(withoutWords(await renderClientTypes(root, 'console')))
})
