/* global SwaggerUIBundle */
import { filterPlugin } from './filter.js'
import { labelFields, labelsPlugin } from './labels.js'
import { problemsPlugin } from './problems.js'
import { referencesPlugin } from './references.js'
import { sectionsPlugin } from './sections.js'
import { claimsOf, sessionOf, signedInPlugin } from './signed-in.js'

const { clientId } = document.querySelector('script[data-client-id]').dataset

// Swagger UI has dark colours, but leaves it to the page to apply them.
const dark = matchMedia('(prefers-color-scheme: dark)')
const applyColorScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', applyColorScheme)
applyColorScheme()

const tokenOf = ({ token, value }) => token?.access_token ?? value

labelFields(document.getElementById('swagger-ui'))
const ui = SwaggerUIBundle({
  url: '/docs/json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  persistAuthorization: true,
  plugins: [filterPlugin, labelsPlugin, problemsPlugin, referencesPlugin, sectionsPlugin, signedInPlugin],
  tryItOutEnabled: true,
  validatorUrl: null,
  oauth2RedirectUrl: `${location.origin}/docs/oauth2-redirect.html`,
  responseInterceptor(response) {
    if (response.status !== 401 || response.body?.code !== 'invalid_token') return response
    const session = sessionOf(ui.authSelectors.authorized().toJS())
    if (session && claimsOf(tokenOf(session))) ui.getSystem().rejectToken(tokenOf(session))
    return response
  },
})
ui.initOAuth({ clientId, scopes: ['openid', 'profile', 'email'], usePkceWithAuthorizationCodeGrant: true })
