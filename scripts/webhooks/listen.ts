/** `bun run webhooks listen`: an endpoint that exists while the command runs, and a line for each delivery. */
import type { Database } from '../../db/index.ts'
import { addEndpoint, removeEndpoint } from '../../src/delivery/webhooks/endpoints.ts'
import { listDeliveries } from '../../src/delivery/webhooks/inspect.ts'
import type { WebhookSecrets } from '../../src/delivery/webhooks/secrets.ts'
import type { CommandResult } from '../command/command.ts'
import { stoppable } from '../command/stop.ts'

const EVERY_MS = 250

interface Printer {
  note(line: string): void
  print(text: string): Promise<void>
}

/** The API, which must run, sends the events. */
export async function listen(
  { note, print }: Printer,
  db: Database,
  secrets: WebhookSecrets,
  { url, types }: { url: string; types: string[] },
): Promise<CommandResult> {
  const { id, secret } = await db.write(tx => addEndpoint(tx, secrets, { url, types }))
  note(`Forwarding ${types.join(' ')} to ${url} until Ctrl-C. Secret: ${secret}`)
  const shown = new Set<string>()
  await stoppable(async stopRequested => {
    while (!stopRequested()) {
      const deliveries = await listDeliveries(db.read, { endpointId: id, limit: 1_000 })
      for (const { userId, sequence, attempts, type, status, response } of deliveries.toReversed()) {
        const key = `${userId} ${sequence} ${attempts}`
        if (attempts === 0 || shown.has(key)) continue
        shown.add(key)
        await print(`${type}  ${userId} ${sequence}  ${status ?? response}\n`)
      }
      await Bun.sleep(EVERY_MS)
    }
  })
  await removeEndpoint(db, id)
  return { json: { id, deliveries: shown.size }, text: '' }
}
