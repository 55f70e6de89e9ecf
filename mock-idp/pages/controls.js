// Each form of the start page is one control call; its response is shown under the forms.
const result = document.getElementById('result')

function bodyOf(form) {
  const body = {}
  for (const field of form.elements) {
    if (!field.name || field.value === '') continue
    body[field.name] = field.type === 'number' ? Number(field.value) : field.value
  }
  return body
}

async function call(form) {
  const { method, path } = form.dataset
  const request = { method }
  if (method !== 'GET' && method !== 'DELETE') {
    request.headers = { 'content-type': 'application/json' }
    request.body = JSON.stringify(bodyOf(form))
  }
  try {
    const response = await fetch(path, request)
    return `${method} ${path}: ${response.status}\n${await response.text()}`
  } catch (error) {
    return `${method} ${path}: ${error.message}`
  }
}

for (const form of document.querySelectorAll('form[data-path]')) {
  form.addEventListener('submit', async event => {
    event.preventDefault()
    result.textContent = await call(form)
  })
}
