/** Uploads a file for an import as the page does, and has it tried. */
import type { Answer } from '../support/client.ts'
import type { World } from '../support/world.ts'
import type { consoleOf } from './support.ts'

type StaffClient = ReturnType<ReturnType<typeof consoleOf>['as']>

export interface Upload {
  command: 'import-catalog' | 'import-events' | 'import-fans' | 'import-memberships'
  name: string
  text: string | Uint8Array<ArrayBuffer>
}

export const FILES = '/api/jobs/imports/files'

export const sendPart = (staff: StaffClient, fileId: string, part: number, bytes: Uint8Array<ArrayBuffer>) =>
  staff.send(`${FILES}/${fileId}/parts/${part}`, {
    method: 'PUT',
    body: bytes,
    headers: { 'content-type': 'application/octet-stream' },
  })

/** The id of a file that has arrived. */
export async function upload(staff: StaffClient, { command, name, text }: Upload): Promise<string> {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
  const announced = await staff.post(FILES, { command, name, bytes: bytes.length })
  if (announced.status !== 201) throw new Error(JSON.stringify(announced.body))
  const { id, partBytes } = announced.body
  for (let part = 0; part * partBytes < bytes.length; part++) {
    const sent = await sendPart(staff, id, part, bytes.slice(part * partBytes, (part + 1) * partBytes))
    if (sent.status !== 200) throw new Error(JSON.stringify(sent.body))
  }
  return id
}

export const check = (staff: StaffClient, fileId: string, options: object = {}): Promise<Answer> =>
  staff.post(`${FILES}/${fileId}/check`, options)

export const readRun = async (staff: StaffClient, id: string) => (await staff.get(`/api/jobs/${id}`)).body

/** The run of a dry run that has ended. */
export async function tryFile(world: World, staff: StaffClient, file: Upload, options: object = {}) {
  const started = await check(staff, await upload(staff, file), options)
  if (started.status !== 202) throw new Error(JSON.stringify(started.body))
  await world.deps.jobs.settled()
  return readRun(staff, started.body.id)
}

/** The run of an import that has ended. */
export async function importTried(
  world: World,
  staff: StaffClient,
  tried: { id: string },
  options: object = {},
) {
  const started = await staff.post('/api/jobs/imports', {
    check: tried.id,
    reason: 'The season begins.',
    ...options,
  })
  if (started.status !== 202) throw new Error(JSON.stringify(started.body))
  await world.deps.jobs.settled()
  return readRun(staff, started.body.id)
}
