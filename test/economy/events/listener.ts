/** A listener for tests, in addition to those of the application. */
import { afterEach } from 'bun:test'
import { createSpine } from '../../../src/app/spine.ts'
import { bumpVersion } from '../../../src/club/catalogue/versions.ts'
import type { NewEvent } from '../../../src/economy/events/event.ts'
import type { Reaction, Recording } from '../../../src/economy/events/readers.ts'
import type { World } from '../../support/world.ts'

/** Takes the listeners of `listen` away after each test of the suite. */
export const forgetListeners = (world: Pick<World, 'db'>) =>
  afterEach(async () => {
    world.db.read.spine.events.readers = createSpine().events.readers
    await world.db.write(tx => bumpVersion(tx))
  })

type React = (recording: Recording, event: NewEvent) => Promise<void>

/** From now on `react` is called for events of this type. */
export async function listen(
  { db }: Pick<World, 'db'>,
  type: string,
  react: React = async () => {},
  reaction: Partial<Reaction> = {},
): Promise<void> {
  const nothing = async () => {}
  const open = (recording: Recording) => ({
    ...{ load: nothing, loadVoids: nothing, onVoid: nothing, write: nothing },
    onEvent: (event: NewEvent) => react(recording, event),
    ...reaction,
  })
  const load = async () => ({ listensTo: (candidate: string) => candidate === type, open })
  const { events } = db.read.spine
  events.readers = [...createSpine().events.readers, { load }]
  await db.write(tx => bumpVersion(tx))
}
