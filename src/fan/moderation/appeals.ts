/** Appeals as the fan sees them: without who decided. */
import type { Reader, Transaction } from '../../../db/index.ts'
import type { Caller } from '../../core/caller.ts'
import { Closed, Id, IdReference, Instant, Nullable, OneOf } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import { appealSanction, listAppeals, type Appeal as StoredAppeal } from '../../identity/sanctions/appeals.ts'

export const NewAppeal = Closed(
  {
    sanctionId: IdReference('The sanction.'),
    text: Type.String({ minLength: 1, maxLength: 2_000, description: 'Why the club should lift it.' }),
  },
  { title: 'NewAppeal' },
)

export const Appeal = Closed(
  {
    sanctionId: Id('The sanction.'),
    text: Type.String({ description: 'What you wrote.' }),
    status: OneOf(['open', 'granted', 'rejected'], { description: '`granted`: the sanction was lifted.' }),
    createdAt: Instant('When you appealed.'),
    decidedAt: Nullable(Type.String({ format: 'date-time' }), { description: 'When the club decided.' }),
  },
  { title: 'Appeal' },
)
type Appeal = typeof Appeal.static

export const exampleAppeal = {
  sanctionId: '01981e2c-7c1f-7000-8000-000000000042',
  text: 'I quoted what others wrote to me.',
  status: 'open',
  createdAt: '2026-08-15T19:30:00.000Z',
  decidedAt: null,
} satisfies Appeal

/** Appeals once against a sanction in force. */
export const fileAppeal = async (
  tx: Transaction,
  caller: Caller,
  appeal: typeof NewAppeal.static,
): Promise<Appeal> => presentAppeal(await appealSanction(tx, caller, appeal))

function presentAppeal({ sanctionId, text, granted, createdAt, decidedAt }: StoredAppeal): Appeal {
  return {
    sanctionId,
    text,
    status: granted === null ? 'open' : granted ? 'granted' : 'rejected',
    createdAt: createdAt.toISOString(),
    decidedAt: decidedAt?.toISOString() ?? null,
  }
}

export const exportAppeals = async (reader: Reader, userId: string) =>
  (await listAppeals(reader, userId)).map(presentAppeal)
