/** `bun run openapi`: the document without a server. */
import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Document } from '../platform/docs/document.ts'
import { runScript } from './run-script.ts'

test('prints the document, or writes it to a file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'matchday-'))
  const file = join(folder, 'openapi.json')
  const printed = await runScript('openapi', [])
  expect([printed.code, printed.err]).toEqual([0, ''])
  const document: Document = JSON.parse(printed.out)
  expect(Object.keys(document.paths)).toContain('/api/rewards/claim')

  const written = await runScript('openapi', ['--out', file])
  expect(written).toMatchObject({ code: 0, out: '' })
  expect(await Bun.file(file).json()).toEqual(document)

  const open = await runScript('openapi', ['--open-enums'])
  const { Match } = (JSON.parse(open.out) as Document).components.schemas
  expect(Match?.properties).toMatchObject({
    status: { anyOf: [{ enum: expect.arrayContaining(['live']) }, { type: 'string' }] },
  })
  expect(document.components.schemas.Match?.properties).toMatchObject({ status: { type: 'string' } })
  await rm(folder, { recursive: true })
})
