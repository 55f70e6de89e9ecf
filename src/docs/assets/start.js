/* global SwaggerUIBundle */
const { clientId } = document.currentScript.dataset

// Swagger UI has a dark dress, but leaves it to the page to put it on.
const dark = matchMedia('(prefers-color-scheme: dark)')
const dress = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', dress)
dress()

const ui = SwaggerUIBundle({
  url: '/docs/json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  persistAuthorization: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  oauth2RedirectUrl: `${location.origin}/docs/oauth2-redirect.html`,
})
ui.initOAuth({ clientId, scopes: ['openid', 'profile', 'email'], usePkceWithAuthorizationCodeGrant: true })
