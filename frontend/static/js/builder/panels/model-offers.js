// @ts-check
// Which models and kinds of components the choosers offer.
import { withModel } from '../document/models.js'
import { offers } from './component-picker.js'

/**
 * @typedef {import('../document/catalogue.js').Catalogue} Catalogue
 * @typedef {import('../document/catalogue.js').Component} Component
 * @typedef {{ id: string, name: string, about: string, needs: string, component: Component }}
 *   Service
 * @typedef {{ id: string, name: string, service: string, is_default: boolean, component: Component
 *   }} Connection
 * @typedef {{ services: Service[], connections: Connection[] }} Models  what the server knows of
 *   them
 */

/**
 * Offer connections and services before the classes of model clients.
 * @param {Catalogue} catalogue
 * @param {Models} models
 */
export function addModelOffers(catalogue, { services, connections }) {
  for (const each of connections) {
    offers.push({
      group: 'models',
      source: 'Connection',
      section: 'Connections',
      name: each.name,
      about: connectionDetail(each),
      component: each.component,
    })
  }
  for (const { name, about, needs, component } of services) {
    offers.push({
      group: 'models',
      source: '',
      section: 'Services',
      name,
      about: `${about} Needs: ${needs}.`,
      component,
    })
  }
  const usual = connections.find((each) => each.is_default)
  for (const { group, provider, template } of catalogue.entries) {
    const component = usual ? withModel(catalogue, template, usual.component) : template
    const isModel = group === 'models'
    offers.push({
      group,
      source: 'New',
      component,
      ...(isModel
        ? {
            section: /** @type {const} */ ('Advanced'),
            name: provider.split('.').at(-1) ?? provider,
          }
        : {}),
    })
  }
}

/** @param {Connection} connection */
function connectionDetail({ service, component, is_default }) {
  return [service, component.config['model'], is_default && 'default for new agents']
    .filter(Boolean)
    .join(' · ')
}
