/** The screens of the areas. Each is loaded when it is first opened. */
import type { ComponentType } from 'preact'
import type { AREAS } from './areas.ts'
import { Page } from './parts/page.tsx'
import { useResource } from './parts/resource.ts'
import { Loaded } from './parts/states.tsx'

interface ScreenModule {
  Screen: ComponentType
}

type Area = (typeof AREAS)[number]

/** By the path of the area. The screen reads the rest of the address from `route`. */
const SCREENS: Record<Area['path'], () => Promise<ScreenModule>> = {
  approvals: () => import('./screens/approvals/screen.tsx'),
  staff: () => import('./screens/staff/screen.tsx'),
  audit: () => import('./screens/audit/screen.tsx'),
  '': () => import('./screens/overview/screen.tsx'),
  season: () => import('./screens/season/screen.tsx'),
  catalogue: () => import('./screens/catalogue/screen.tsx'),
  fans: () => import('./screens/fans/screen.tsx'),
  orders: () => import('./screens/orders/screen.tsx'),
  'match-day': () => import('./screens/match-day/screen.tsx'),
  moderation: () => import('./screens/moderation/screen.tsx'),
  desk: () => import('./screens/desk/screen.tsx'),
  campaigns: () => import('./screens/campaigns/screen.tsx'),
  webhooks: () => import('./screens/webhooks/screen.tsx'),
  keys: () => import('./screens/keys/screen.tsx'),
  jobs: () => import('./screens/jobs/screen.tsx'),
}

export function AreaScreen({ area: { path, title } }: { area: Area }) {
  const loaded = useResource(`screen ${path}`, SCREENS[path])
  if (loaded.data) return <loaded.data.Screen />
  return (
    <Page title={title}>
      <Loaded of={loaded}>{() => null}</Loaded>
    </Page>
  )
}
