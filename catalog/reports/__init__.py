"""Reports that an auditor files: figures of a moment and of the period before it, and the documents that show them.

Pure: facts come in (`catalog.store.reports.moment` reads them from the journal), figures and text go out. The same
facts give the same bytes.
"""
