/* global MiniSearch, guideIndex */
/** The guide's comforts: copying, tabs, samples that readers fill in, and search. Without it every page can be read. */

const make = (name, properties, ...children) => {
  const element = Object.assign(document.createElement(name), properties)
  element.append(...children)
  return element
}

/** Of a session in a terminal the commands alone. */
function copyable(block) {
  const commands = [...block.querySelectorAll('.command')].map(command => command.textContent)
  return commands.length > 0 ? commands.join('\n') : block.querySelector('code').textContent.trimEnd()
}

function addCopyButtons() {
  for (const block of document.querySelectorAll('.code')) {
    const button = make('button', { type: 'button', textContent: 'Copy' })
    button.setAttribute('aria-label', `Copy the example in ${block.dataset.name}`)
    button.addEventListener('click', async () => {
      button.textContent = await navigator.clipboard.writeText(copyable(block)).then(
        () => 'Copied',
        () => 'Not copied',
      )
      setTimeout(() => {
        button.textContent = 'Copy'
      }, 2_000)
    })
    block.querySelector('.bar').append(button)
  }
}

/** A choice of language is that of all examples of the page. */
function addTabs() {
  const groups = [...document.querySelectorAll('.tabs')].map((element, at) => {
    const panels = [...element.children]
    const list = make('div', { role: 'tablist', ariaLabel: 'Language of the example' })
    const tabs = panels.map((panel, index) => {
      panel.id = `example-${at}-${index}`
      panel.role = 'tabpanel'
      panel.ariaLabel = panel.dataset.name
      const tab = make('button', { type: 'button', role: 'tab', textContent: panel.dataset.name })
      tab.setAttribute('aria-controls', panel.id)
      tab.addEventListener('click', () => choose(panel.dataset.name))
      return tab
    })
    list.append(...tabs)
    list.addEventListener('keydown', event => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
      if (step === undefined) return
      event.preventDefault()
      const tab = tabs.at((tabs.indexOf(document.activeElement) + step) % tabs.length)
      choose(tab.textContent)
      tab.focus()
    })
    element.prepend(list)
    element.classList.add('chosen')
    return { panels, tabs }
  })

  function choose(name) {
    for (const { panels, tabs } of groups) {
      const wanted = panels.findIndex(panel => panel.dataset.name === name)
      if (wanted < 0) continue
      panels.forEach((panel, index) => {
        panel.hidden = index !== wanted
        tabs[index].ariaSelected = String(index === wanted)
        tabs[index].tabIndex = index === wanted ? 0 : -1
      })
    }
  }
  for (const { panels } of groups) choose(panels[0].dataset.name)
}

/** Nothing of it is stored: a reload has the samples as they were. */
function fillSamples() {
  const form = document.querySelector('.fills')
  if (!form) return
  form.hidden = false
  form.addEventListener('submit', event => event.preventDefault())
  for (const input of form.elements) {
    const places = [...document.querySelectorAll(`[data-fill="${input.name}"]`)]
    const original = places[0]?.textContent ?? ''
    input.addEventListener('input', () => {
      const value = input.value.trim().replace(/\/+$/, '')
      for (const place of places) {
        place.textContent = value || original
        place.classList.toggle('filled', value !== '' && value !== original)
      }
    })
  }
}

/** Marks the heading that is read in the contents of the page. */
function followReading() {
  const links = new Map([...document.querySelectorAll('.contents a')].map(link => [link.hash.slice(1), link]))
  const headings = [...links.keys()].map(id => document.getElementById(id)).filter(Boolean)
  const mark = () => {
    const read = headings.findLast(heading => heading.getBoundingClientRect().top < 120) ?? headings[0]
    for (const [id, link] of links) {
      if (id !== read?.id) link.removeAttribute('aria-current')
      else if (!link.hasAttribute('aria-current')) {
        link.setAttribute('aria-current', 'location')
        const list = link.closest('.contents')
        list.scrollTop = link.offsetTop - list.clientHeight / 2
      }
    }
  }
  addEventListener('scroll', mark, { passive: true })
  mark()
  for (const list of document.querySelectorAll('[popover]'))
    list.addEventListener('click', event => {
      if (event.target.closest('a') && list.matches(':popover-open')) list.hidePopover()
    })
  document.querySelector('.pages [aria-current]')?.scrollIntoView({ block: 'nearest' })
}

const FIELDS = {
  fields: ['page', 'heading', 'keywords', 'text'],
  storeFields: ['page', 'heading', 'excerpt'],
}
/** Of questions, words that say nothing about the page. */
const IGNORED = new Set(
  'a an and can do does for how i in is it my of or the to we what with you your'.split(' '),
)
const RANKING = {
  processTerm: term => (IGNORED.has(term.toLowerCase()) ? null : term.toLowerCase()),
  prefix: true,
  fuzzy: term => (term.length > 3 ? 0.2 : false),
  boost: { page: 4, heading: 3, keywords: 5 },
  weights: { prefix: 0.3, fuzzy: 0.15 },
}
const SHOWN = 12

function addSearch() {
  const box = document.querySelector('.search')
  const input = box.querySelector('input')
  const found = box.querySelector('.found')
  const list = found.querySelector('[role="listbox"]')
  const status = found.querySelector('[role="status"]')
  let index
  let selected = -1
  box.hidden = false

  const run = source =>
    new Promise((resolve, reject) => {
      document.head.append(make('script', { src: source, onload: resolve, onerror: reject }))
    })
  /** The library and its index are loaded once somebody searches. */
  const load = () => {
    index ??= Promise.all([run(box.dataset.library), run(box.dataset.index)]).then(() =>
      MiniSearch.loadJSON(guideIndex, FIELDS),
    )
    index.catch(() => {
      index = undefined
    })
    return index
  }

  const open = isOpen => {
    found.hidden = !isOpen
    input.ariaExpanded = String(isOpen)
  }
  const select = at => {
    selected = at
    for (const [position, option] of [...list.children].entries()) {
      option.ariaSelected = String(position === at)
      if (position === at) option.scrollIntoView({ block: 'nearest' })
    }
    if (at < 0) input.removeAttribute('aria-activedescendant')
    else input.setAttribute('aria-activedescendant', `found-${at}`)
  }

  function show(results) {
    list.replaceChildren(
      ...results.slice(0, SHOWN).map(({ id, page, heading, excerpt }, at) => {
        const title = heading ? `${page} › ${heading}` : page
        const link = make(
          'a',
          { id: `found-${at}`, href: box.dataset.base + id, role: 'option', tabIndex: -1 },
          make('b', { textContent: title }),
          make('small', { textContent: excerpt }),
        )
        link.addEventListener('click', () => open(false))
        return link
      }),
    )
    status.textContent = results.length === 0 ? 'Nothing found. Try another word.' : ''
    select(results.length > 0 ? 0 : -1)
  }

  async function search() {
    const text = input.value.trim()
    if (text === '') return open(false)
    open(true)
    try {
      const loaded = await load()
      const withAllWords = loaded.search(text, { ...RANKING, combineWith: 'AND' })
      const results = withAllWords.length > 0 ? withAllWords : loaded.search(text, RANKING)
      if (text === input.value.trim()) show(results)
    } catch {
      list.replaceChildren()
      status.textContent = 'The index of the search cannot be loaded. Type again to retry.'
    }
  }

  input.addEventListener('focus', () => load().catch(() => {}), { once: true })
  input.addEventListener('input', search)
  input.addEventListener('keydown', event => {
    const count = list.children.length
    if (event.key === 'Escape') open(false)
    else if (event.key === 'ArrowDown' && count > 0) select((selected + 1) % count)
    else if (event.key === 'ArrowUp' && count > 0) select((selected + count - 1) % count)
    else if (event.key === 'Enter') list.children[selected]?.click()
    else return
    event.preventDefault()
  })
  box.addEventListener('focusout', event => {
    if (!box.contains(event.relatedTarget)) open(false)
  })
  document.addEventListener('keydown', event => {
    if (event.key !== '/' || event.target.closest('input, textarea, select')) return
    event.preventDefault()
    input.focus()
  })
}

addCopyButtons()
addTabs()
fillSamples()
followReading()
addSearch()
