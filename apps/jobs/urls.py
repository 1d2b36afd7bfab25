"""Addresses of jobs in the API."""

from django.urls import path

from apps.jobs.api import details, found, jobs

urlpatterns = [
    path("jobs", jobs.JobListView.as_view(), name="jobs"),
    path("jobs/export", jobs.JobExportView.as_view(), name="job-export"),
    path("jobs/found", found.FoundJobListView.as_view(), name="found-jobs"),
    path("jobs/found/<uuid:id>/attach", found.FoundJobAttachView.as_view(), name="job-attach"),
    path("jobs/<uuid:id>", jobs.JobView.as_view(), name="job"),
    path("jobs/<uuid:id>/stop", jobs.JobStopView.as_view(), name="job-stop"),
    path("jobs/<uuid:id>/loss", details.JobLossView.as_view(), name="job-loss"),
    path("jobs/<uuid:id>/ranks", details.JobRanksView.as_view(), name="job-ranks"),
    path("jobs/<uuid:id>/members", details.JobMemberListView.as_view(), name="job-members"),
    path("jobs/<uuid:id>/events", details.JobEventListView.as_view(), name="job-events"),
    path("jobs/<uuid:id>/commands", details.JobCommandListView.as_view(), name="job-commands"),
    path(
        "jobs/<uuid:id>/certificates",
        details.JobCertificateListView.as_view(),
        name="job-certificates",
    ),
    path(
        "jobs/<uuid:id>/certificates/<uuid:certificate>",
        details.JobCertificateView.as_view(),
        name="job-certificate",
    ),
]
