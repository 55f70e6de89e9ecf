import { read } from '../../api.ts'
import { Facts, Section } from '../../parts/page.tsx'
import { useResource } from '../../parts/resource.ts'
import { Loaded } from '../../parts/states.tsx'
import { None } from '../../parts/values.tsx'
import type { FanRecord } from './types.ts'

/** The stored rows of a fan, column by column. */
export function RecordTab({ fanId }: { fanId: string }) {
  const record = useResource(`fan ${fanId} record`, signal =>
    read<FanRecord>(`/api/fans/${encodeURIComponent(fanId)}/record`, { signal }),
  )
  return (
    <Loaded of={record}>
      {({ user, identity }) => (
        <>
          <Columns title="User" of={user} />
          {identity !== null && <Columns title="Mirror of the provider’s data" of={identity} />}
        </>
      )}
    </Loaded>
  )
}

const Columns = ({ title, of }: { title: string; of: FanRecord['user'] }) => (
  <Section title={title}>
    <Facts
      of={Object.entries(of).map(([name, value]) => [
        name,
        value === null ? <None why="null" /> : <bdi class="breaks">{String(value)}</bdi>,
      ])}
    />
  </Section>
)
