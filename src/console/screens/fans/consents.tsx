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
      {({ consents, age, history, ageHistory }) => (
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
          <Section title="Changes of the age">
            <AgeHistory of={ageHistory} />
          </Section>
        </>
      )}
    </Loaded>
  )
}

const AgeHistory = ({ of }: { of: Consents['ageHistory'] }) => (
  <DataTable
    label="Changes of the age"
    rows={of}
    rowKey={({ seq }) => String(seq)}
    columns={[
      { id: 'band', title: 'Age band', cell: ({ ageBand }) => <Band of={ageBand} /> },
      {
        id: 'guardian',
        title: 'Guardian',
        width: '10rem',
        cell: ({ guardianConsent }) => <Guardian agrees={guardianConsent} />,
      },
      { id: 'checked', title: 'Checked', hide: 'middle', cell: ({ assuredAt }) => <Time at={assuredAt} /> },
      { id: 'source', title: 'Checked by', hide: 'middle', cell: ({ source }) => <bdi>{source}</bdi> },
      {
        id: 'at',
        title: 'When',
        width: '11rem',
        hide: 'narrow',
        under: true,
        cell: ({ changedAt }) => <Time at={changedAt} />,
      },
      { id: 'by', title: 'By', hide: 'narrow', under: true, cell: ({ statedBy }) => <bdi>{statedBy}</bdi> },
    ]}
    empty={<Empty icon="check" title="Nothing was stated of the age" />}
  />
)

const State = ({ granted }: { granted: boolean }) => (
  <Badge tone={granted ? 'good' : 'neutral'}>{granted ? 'Agrees' : 'Does not agree'}</Badge>
)

const BANDS = { under_13: 'Under 13', '13_15': '13 to 15', '16_17': '16 or 17', adult: 'Adult' } as const

const Band = ({ of }: { of: keyof typeof BANDS | null }) => (of === null ? <None why="Unknown" /> : BANDS[of])

const Guardian = ({ agrees }: { agrees: boolean | null }) =>
  agrees === null ? <None why="Nobody has asked" /> : agrees ? 'Agrees' : 'Does not agree'

function factsOf({ ageBand, source, assuredAt, guardianConsent }: Consents['age']) {
  const facts: Parameters<typeof Facts>[0]['of'] = [
    ['Age band', <Band of={ageBand} />],
    ['Checked by', source === null ? <None /> : <bdi>{source}</bdi>],
    ['Checked', assuredAt === null ? <None why="Never" /> : <Time at={assuredAt} />],
    ['Guardian', <Guardian agrees={guardianConsent} />],
  ]
  return facts
}
