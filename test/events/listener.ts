/** A listener for tests, beside those of the application. */
import { afterEach } from 'bun:test'
import type { Transaction } from '../../db/index.ts'
import { bumpVersion } from '../../src/catalogue/versions.ts'
import type { RecordedEvent } from '../../src/events/event.ts'
import { type EventReader, eventReaders, setEventReaders } from '../../src/events/readers.ts'
import type { World } from '../support/world.ts'

const registered = eventReaders()

/** Takes the listeners of `listen` away after each test of the suite. */
export const forgetListeners = (world: Pick<World, 'db'>) =>
  afterEach(async () => {
    setEventReaders(registered)
    await world.db.write(tx => bumpVersion(tx))
  })

type React = (tx: Transaction, event: RecordedEvent) => Promise<void>

/** From now on `react` is called for events of this type. */
export async function listen(
  { db }: Pick<World, 'db'>,
  type: string,
  react: React = async () => {},
  reader: Partial<EventReader> = {},
): Promise<void> {
  const load = async () => ({ listensTo: (candidate: string) => candidate === type, onEvent: react })
  setEventReaders([...registered, { load, ...reader }])
  await db.write(tx => bumpVersion(tx))
}
