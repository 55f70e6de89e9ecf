import { route } from '../../router.tsx'
import { FanScreen } from './fan.tsx'
import { SearchScreen } from './search.tsx'

/** `/fans` is the search, `/fans/ID` a fan. */
export function Screen() {
  const [, fanId] = route.value
  return fanId === undefined ? <SearchScreen /> : <FanScreen key={fanId} fanId={fanId} />
}
