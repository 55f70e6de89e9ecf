/** What a fan agrees to, each change of it, and the age band. */
import { api, type Data } from '../../api.ts'
import { Badge } from '../../parts/badge.tsx'
import { Facts, Section } from '../../parts/page.tsx'
import { useResource } from '../../parts/resource.ts'
import { Empty, Loaded } from '../../parts/states.tsx'
import { DataTable } from '../../parts/table.tsx'
import { None, Time } from '../../parts/values.tsx'

type Consents = Data<'readFanConsents'>

export const useConsents = (fanId: string) =>
  useResource(`fan ${fanId} consents`, signal => api.readFanConsents({ fanId }, { signal }))

export function ConsentsTab({ fanId }: { fanId: string }) {
  return (
    <Loaded of={useConsents(fanId)}>
      {({ consents, age, history }) => (
        <>
          <Section title="Age">
            <Facts of={factsOf(age)} />
          </Section>
          <Section title="Consents">
            <DataTable
              label="Consents"
              rows={consents}
              rowKey={({ purpose }) => purpose}
              columns={[
                { id: 'purpose', title: 'Purpose', cell: ({ purpose }) => purpose },
                {
                  id: 'state',
                  title: 'Now',
                  width: '10rem',
                  cell: ({ granted }) => <State granted={granted} />,
                },
                {
                  id: 'version',
                  title: 'Agreed version',
                  hide: 'narrow',
                  under: true,
                  cell: ({ grantedVersion }) => grantedVersion ?? <None />,
                },
                {
                  id: 'current',
                  title: 'Current version',
                  hide: 'middle',
                  cell: ({ version }) => version ?? <None why="No document any longer" />,
                },
              ]}
              empty={<Empty icon="check" title="The club asks for no consents" />}
            />
          </Section>
          <Section title="Changes">
            <DataTable
              label="Changes of consents"
              rows={history}
              rowKey={({ purpose, seq }) => `${purpose} ${seq}`}
              columns={[
                { id: 'purpose', title: 'Purpose', cell: ({ purpose }) => purpose },
                {
                  id: 'state',
                  title: 'Stated',
                  width: '7.5rem',
                  cell: ({ granted }) => (
                    <Badge tone={granted ? 'good' : 'neutral'}>{granted ? 'Agreed' : 'Withdrawn'}</Badge>
                  ),
                },
                { id: 'version', title: 'Version', hide: 'middle', cell: ({ version }) => version },
                {
                  id: 'at',
                  title: 'When',
                  width: '11rem',
                  hide: 'narrow',
                  under: true,
                  cell: ({ changedAt }) => <Time at={changedAt} />,
                },
                {
                  id: 'source',
                  title: 'By',
                  hide: 'narrow',
                  cell: ({ source, by }) => <bdi>{by ?? source}</bdi>,
                },
                {
                  id: 'reason',
                  title: 'Reason',
                  hide: 'narrow',
                  under: true,
                  cell: ({ reason }) => (reason === null ? <None /> : <bdi>{reason}</bdi>),
                },
              ]}
              empty={<Empty icon="check" title="The fan has not stated anything" />}
            />
          </Section>
        </>
      )}
    </Loaded>
  )
}

const State = ({ granted }: { granted: boolean }) => (
  <Badge tone={granted ? 'good' : 'neutral'}>{granted ? 'Agrees' : 'Does not agree'}</Badge>
)

const BANDS = { under_13: 'Under 13', '13_15': '13 to 15', '16_17': '16 or 17', adult: 'Adult' } as const

function factsOf({ ageBand, source, assuredAt, guardianConsent }: Consents['age']) {
  const facts: Parameters<typeof Facts>[0]['of'] = [
    ['Age band', ageBand === null ? <None why="Unknown" /> : BANDS[ageBand]],
    ['Checked by', source === null ? <None /> : <bdi>{source}</bdi>],
    ['Checked', assuredAt === null ? <None why="Never" /> : <Time at={assuredAt} />],
    [
      'Guardian',
      guardianConsent === null ? (
        <None why="Nobody has asked" />
      ) : guardianConsent ? (
        'Agrees'
      ) : (
        'Does not agree'
      ),
    ],
  ]
  return facts
}
