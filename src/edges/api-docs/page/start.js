const links = [...document.querySelectorAll('a[href^="docs?part="]')]
const wanted = location.search
// The first part is the one for programs, which most readers look for.
const current = links.find((link) => link.search === wanted) ?? links[0]
current.setAttribute('aria-current', 'page')

globalThis.SwaggerUIBundle({
  url: `openapi.json${current.search}`,
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  // The viewer would otherwise send the document to a service that checks it.
  validatorUrl: null,
})
