// Searches while typing. Without this script, submitting the form loads the same URL.
const form = document.getElementById('search')
const input = document.getElementById('q')
let timer
let running

const searchUrl = () => `${form.action}?${new URLSearchParams(new FormData(form))}`

async function refresh() {
  running?.abort()
  running = new AbortController()
  const url = searchUrl()
  try {
    const response = await fetch(url, { signal: running.signal })
    if (!response.ok) return
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    document.getElementById('fans').replaceChildren(...page.getElementById('fans').childNodes)
    document.getElementById('count').textContent = page.getElementById('count').textContent
    history.replaceState(null, '', url)
  } catch (error) {
    if (error.name !== 'AbortError') throw error
  }
}

input.addEventListener('input', () => {
  clearTimeout(timer)
  timer = setTimeout(refresh, 150)
})
