/** The page at `/`: what this server is, and where app developers, clubs, operators and contributors begin. */
import { htmlPage } from './html-page.ts'

interface Served {
  /** Whether the server serves the guide and the demo. */
  guide: boolean
  demo: boolean
  /** By name; undefined outside development. */
  figures?: Record<string, number> | undefined
}

interface Way {
  title: string
  about: string
  links: { path: string; text: string }[]
}

export function indexPage({ guide, demo, figures }: Served): string {
  const inGuide = (page: string, text: string) => (guide ? [{ path: `/docs/guide/${page}`, text }] : [])
  const ways: Way[] = [
    {
      title: 'Build an app',
      about: 'Typed operations, problems with stable codes, and a client for TypeScript.',
      links: [
        ...inGuide('first-steps', 'First steps'),
        ...(demo ? [{ path: '/demo', text: 'Demo app' }] : []),
        { path: '/docs', text: 'API reference' },
        ...inGuide('clients', 'Clients'),
        { path: '/openapi.json', text: 'OpenAPI document' },
      ],
    },
    {
      title: 'Run a season',
      about: 'Points for what fans do, rewards, quests, packs, predictions and check-ins.',
      links: [
        ...inGuide('catalogue', 'Catalogue'),
        ...inGuide('earning', 'Earning points'),
        ...inGuide('quests', 'Quests'),
        ...inGuide('packs-and-proofs', 'Packs and proofs'),
        ...inGuide('match-day', 'Match day'),
      ],
    },
    {
      title: 'Operate it',
      about: 'One process and one SQLite file, or PostgreSQL and many instances.',
      links: [
        ...inGuide('deployment', 'Deployment'),
        ...inGuide('operations', 'Operations'),
        { path: '/readyz', text: 'Readiness' },
        { path: '/healthz', text: 'Health' },
      ],
    },
    {
      title: 'Change it',
      about: 'Ten floors of small rooms, two engines, one definition of each table.',
      links: [
        ...inGuide('architecture', 'Architecture'),
        ...inGuide('performance', 'Performance'),
        ...(guide ? [{ path: '/docs/guide', text: 'All pages' }] : []),
      ],
    },
  ]
  return htmlPage({
    styles: ['text.css'],
    home: '/',
    links: [],
    content: `<main class="text start">
<h1>The open backend for sports-fan apps</h1>
<p class="lead">Matchday keeps fans’ profiles, signs them in with your identity provider, and runs a points ledger, rewards, quests and verifiable card packs. It is for clubs, leagues, and the teams who build their apps.</p>
${figures ? renderFigures(figures) : ''}
<div class="ways">
${ways
  .filter(({ links }) => links.length > 0)
  .map(renderWay)
  .join('\n')}
</div>
</main>`,
  })
}

const renderFigures = (figures: Record<string, number>) =>
  `<dl class="figures">${Object.entries(figures)
    .map(
      ([name, value]) => `<div><dt>${Bun.escapeHTML(name)}</dt><dd>${value.toLocaleString('en')}</dd></div>`,
    )
    .join('')}</dl>`

const renderWay = ({ title, about, links }: Way) => `<section>
<h2>${title}</h2>
<p>${about}</p>
<ul>${links.map(({ path, text }) => `<li><a href="${path}">${text}</a></li>`).join('')}</ul>
</section>`
