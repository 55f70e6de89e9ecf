/** Two processes that save the same entry: nobody's change is lost. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { listRevisions } from '../../../src/club/catalogue/history.ts'
import { kindNamed, type RecordKind, writeRecord } from '../../../src/play/catalogue-file/kinds.ts'
import { fullCatalogue } from '../../club/catalogue/full-catalogue.ts'
import { engines } from '../../support/engines.ts'
import { commandOf } from '../../support/executable.ts'
import { readLines } from '../../support/read-lines.ts'
import { onEngine } from '../../support/world.ts'
import { pointsIn } from './add-point.ts'

const TIMES = 8

for (const engine of engines)
  onEngine(engine, 'Two processes that save one entry', world => {
    let saving: Awaited<ReturnType<typeof startSaving>>[]
    beforeAll(async () => {
      saving = await Promise.all([startSaving(), startSaving()])
    })
    afterAll(async () => {
      expect(await Promise.all(saving.map(({ end }) => end()))).toEqual([0, 0])
    })

    async function startSaving() {
      const child = Bun.spawn(
        [
          ...commandOf('test/console/catalogue/saving-process.ts'),
          ...[world.databaseUrl ?? '', String(TIMES)],
        ],
        { cwd: `${import.meta.dir}/../../..`, stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' },
      )
      const lines = readLines(child.stdout)[Symbol.asyncIterator]()
      async function readLine(): Promise<string> {
        const { done, value } = await lines.next()
        if (done) throw new Error(await new Response(child.stderr).text())
        return value
      }
      expect(await readLine()).toBe('ready')
      return {
        async saveMany(kind: RecordKind, id: string): Promise<void> {
          child.stdin.write(`${kind} ${id}\n`)
          await child.stdin.flush()
          expect(await readLine()).toMatch(/^\d+$/)
        },
        async end(): Promise<number> {
          await child.stdin.end()
          return child.exited
        },
      }
    }

    test.each([
      ['reward', 'saved-scarf'],
      ['rule', 'saved-plain'],
      ['pack', 'saved-starter'],
      ['quest', 'saved-a-second'],
      ['product', 'saved-shirt'],
    ] as const)('of the kind %s keep each change of both', async (kind, id) => {
      await world.db.write(async tx => {
        for (const record of fullCatalogue('saved')) await writeRecord(tx, record)
      })
      const numberNow = async () => {
        const [entry] = await kindNamed(kind).read(world.db.read, [id])
        if (!entry) throw new Error('there is no entry')
        return pointsIn(entry).points
      }
      const before = await numberNow()
      await Promise.all(saving.map(({ saveMany }) => saveMany(kind, id)))
      expect(await numberNow()).toBe(before + 2 * TIMES)
      const revisions = await listRevisions(world.db.read, { kind, id, limit: 100 })
      const numbers = revisions.map(({ revision }) => revision).toReversed()
      expect(numbers).toEqual(Array.from({ length: 2 * TIMES + 1 }, (_, n) => n + 1))
    })
  })
