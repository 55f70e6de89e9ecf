/** The list of fans for the ticket office, as a file: see `bun run priority-list`. */
import type { Reader } from '../../../../db/index.ts'
import { presentText } from '../../../club/catalogue/texts.ts'
import { instantIn, parseQueryInstant } from '../../../core/instant.ts'
import { Closed, InstantInput, InstantParameter, Integer, Nullable, Slug } from '../../../core/schemas.ts'
import { Type } from '../../../core/typebox.ts'
import { getAccountSet } from '../../../economy/accounts/account-set.ts'
import { priorityCsv, requireAccount } from '../../../fan/status/priority.ts'
import { readChanges } from '../../../fan/status/priority-changes.ts'
import { Changes } from '../../../fan/status/priority-schema.ts'
import { Reason } from '../../../identity/staff/reason.ts'
import { listMembershipKinds, requireMembershipKind } from '../../../play/memberships/membership-kind.ts'
import { consoleOperation } from '../contract/operation.ts'
import { type StaffDeps, staff } from '../contract/staff.ts'
import { csvFile } from '../contract/text-file.ts'
import { thrownBy } from './problems.generated.ts'

const account = Slug('The account.', { examples: ['status'] })
const Choices = Type.Array(Closed({ id: Type.String(), name: Type.String() }), { description: 'By id.' })

const Terms = Closed(
  {
    accounts: Choices,
    kinds: Choices,
    changes: Nullable(Changes, {
      description: 'With `account` and `asOf`: what has happened since that time.',
    }),
  },
  { title: 'PriorityTerms' },
)

const PriorityList = Closed(
  {
    account,
    from: Type.Optional(Integer({ minimum: 1, maximum: 1e15, description: 'The lowest total.' })),
    membership: Type.Optional(Slug('Only fans with an active membership of this kind.')),
    asOf: Type.Optional(InstantInput('The time of the list. Default: now.')),
    reason: Reason,
  },
  { title: 'PriorityList' },
)

const Csv = Type.String({
  contentMediaType: 'text/csv',
  description: 'Place, fan, total, when it was reached, and numbers of memberships.',
})

export const priorityRoutes = (deps: StaffDeps) => {
  const { db } = deps
  return staff(deps, { prefix: '/api/priority', tag: 'Fans' })
    .get(
      '',
      ({ query }) => readTerms(db.read, query),
      consoleOperation({
        id: 'readPriorityTerms',
        summary: 'Read what a priority list can be of, and what has happened since an earlier one',
        permission: 'fans.export',
        query: Closed({
          account: Type.Optional(account),
          asOf: Type.Optional(InstantParameter('The time of an earlier list.')),
        }),
        responses: { 200: Terms },
        problems: thrownBy.readPriorityTerms,
      }),
    )
    .post(
      '/export',
      async ({ act, body: { reason, asOf: stated, ...filter } }) => {
        const asOf = stated === undefined ? db.read.now() : instantIn(stated)
        const { membership } = filter
        await requireAccount(db.read, filter.account)
        if (membership !== undefined)
          await requireMembershipKind(db.read, membership, { pointer: '/membership' })
        await act({ kind: 'account', id: filter.account }, reason, async () => {}, {
          detail: { ...filter, asOf: asOf.toISOString() },
        })
        const name = `priority-${filter.account}-${asOf.toISOString().slice(0, 10)}.csv`
        return csvFile(name, priorityCsv(db.read, { ...filter, asOf }))
      },
      consoleOperation({
        id: 'exportPriority',
        summary: 'Export fans by their total in an account, as CSV',
        description: 'With an earlier `asOf` the list is the same as then.',
        permission: 'fans.export',
        onePerson: 'It gives nothing.',
        reversible: 'It writes nothing.',
        body: PriorityList,
        responses: { 200: Csv },
        problems: thrownBy.exportPriority,
        examples: { body: { account: 'status', from: 500, reason: 'Tickets for the away game.' } },
      }),
    )
}

async function readTerms(
  reader: Reader,
  { account, asOf: stated }: { account?: string | undefined; asOf?: string | undefined },
) {
  const { accounts } = await getAccountSet(reader)
  if (account !== undefined) await requireAccount(reader, account)
  const asOf = stated === undefined ? undefined : parseQueryInstant(stated)
  return {
    accounts: [...accounts.values()].map(({ id, name }) => ({ id, name: presentText(name) })),
    kinds: await listMembershipKinds(reader),
    changes: account !== undefined && asOf ? await readChanges(reader, { accountId: account, asOf }) : null,
  }
}
