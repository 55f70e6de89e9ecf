import { api, type Data } from '../../api.ts'
import { Facts, Section } from '../../parts/page.tsx'
import { useResource } from '../../parts/resource.ts'
import { Loaded } from '../../parts/states.tsx'
import { None } from '../../parts/values.tsx'

/** The stored rows of a fan, column by column. */
export function RecordTab({ fanId }: { fanId: string }) {
  const record = useResource(`fan ${fanId} record`, signal => api.readFanRecord({ fanId }, { signal }))
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

const Columns = ({ title, of }: { title: string; of: Data<'readFanRecord'>['user'] }) => (
  <Section title={title}>
    <Facts
      of={Object.entries(of).map(([name, value]) => [
        name,
        value === null ? <None why="null" /> : <bdi class="breaks">{String(value)}</bdi>,
      ])}
    />
  </Section>
)
