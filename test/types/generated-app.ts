/** The application with more operations than today: what its types cost as it grows. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOM = 12

/** Each has a body, a path parameter, a response and a problem, as most operations that write. */
const operationSource = (n: number) => `.post(
    '/:id/part-${n}',
    ({ body, params, write }) => write(async () => ({ id: params.id, amount: body.amount + ${n}, note: body.note ?? null })),
    operation({
      id: 'change${n}',
      summary: 'Change part ${n}',
      params: Closed({ id: Type.String() }),
      body: Closed({ amount: Integer(), kind${n}: OneOf(['a${n}', 'b${n}']), note: Type.Optional(Type.String()) }),
      responses: { 200: Closed({ id: Type.String(), amount: Integer(), note: Nullable(Type.String()) }, { title: 'Part${n}' }) },
      problems: [matchProblems.match_not_found],
    }),
  )`

const roomSource = (room: number, operations: number[]) => `
import { matchProblems } from '../../../src/club/matches/problems.ts'
import { Closed, Integer, Nullable, OneOf } from '../../../src/core/schemas.ts'
import { Type } from '../../../src/core/typebox.ts'
import { type FanDeps, fans } from '../../../src/identity/auth/groups.ts'
import { operation } from '../../../src/platform/http/contract/operation.ts'

export const room${room} = (deps: FanDeps) =>
  fans(deps, { prefix: '/api/room-${room}', tag: 'Room ${room}' })${operations.map(operationSource).join('')}
`

/** Responses are narrowed by status and code, as in clients. */
const appSource = (rooms: number[], last: number) => `
import { type Treaty, treaty } from '@elysiajs/eden'
import { createApi } from '../../../src/app/app.ts'
import type { Deps } from '../../../src/app/deps.ts'
${rooms.map(room => `import { room${room} } from './room-${room}.ts'`).join('\n')}

export const createGrown = (deps: Deps) =>
  createApi(deps)${rooms.map(room => `.use(room${room}(deps))`).join('')}

export const client = treaty<ReturnType<typeof createGrown>>('http://localhost', {} satisfies Treaty.Config)
const { data, error } = await client.api['room-${rooms.at(-1)}']({ id: 'x' })['part-${last}'].post({ amount: 1, kind${last}: 'a${last}' })
export const amount: number | undefined = data?.amount
if (error?.status === 404) error.value.code satisfies 'match_not_found'
export const { teams } = (await client.api.teams.get()).data ?? { teams: [] }
`

/** Writes the application of today with this number of operations more. `folder`: three levels below the root. */
export function writeGrownApp(folder: string, more: number): void {
  mkdirSync(folder, { recursive: true })
  const rooms = Array.from({ length: Math.ceil(more / ROOM) }, (_, room) => room)
  for (const room of rooms) {
    const length = Math.min(ROOM, more - room * ROOM)
    const operations = Array.from({ length }, (_, n) => room * ROOM + n)
    writeFileSync(join(folder, `room-${room}.ts`), roomSource(room, operations))
  }
  writeFileSync(join(folder, 'app.ts'), appSource(rooms, more - 1))
}
