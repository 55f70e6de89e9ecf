/** The screen of an invitation link: joins the league with the code of the address. */
import { joinLeague, readLeagues } from '../api.ts'
import { text } from '../lang/lang.ts'
import { Loading, useLoaded, useWrite } from '../load.tsx'
import { Button } from '../parts/button.tsx'
import { Screen } from '../parts/layout.tsx'
import { Refused } from '../parts/refused.tsx'
import { addressOf, Link, navigate } from '../router.tsx'

/** As the server reads codes. */
const plain = (code: string) => code.replace(/[\s-]/g, '').toUpperCase()

export function JoinLeague({ code }: { code: string }) {
  const loaded = useLoaded(`join ${code}`, readLeagues)
  const write = useWrite(async (wanted: string, key) => {
    const { id } = await joinLeague(wanted, key)
    navigate(addressOf('leagues', id))
  })
  return (
    <Screen title={text.leagues.joinTitle} up={addressOf('leagues')}>
      <section class="panel invite">
        <p class="quiet">{text.leagues.joinCode}</p>
        <code dir="ltr">{code}</code>
        <Loading of={loaded} skeleton={<div class="bone" />}>
          {({ leagues }) => {
            const known = leagues.find(league => league.code !== null && plain(league.code) === plain(code))
            return known ? (
              <>
                <p>{text.leagues.member}</p>
                <Link to={addressOf('leagues', known.id)} class="button main">
                  {text.leagues.open}
                </Link>
              </>
            ) : (
              <>
                <p>{text.leagues.joinLead}</p>
                <Refused write={write} />
                <Button busy={write.isBusy} onClick={() => write.run(code)}>
                  {text.leagues.joinAction}
                </Button>
              </>
            )
          }}
        </Loading>
      </section>
    </Screen>
  )
}
